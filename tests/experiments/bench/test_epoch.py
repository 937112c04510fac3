import pytest
import torch

from experiments.bench._library_peers import PEERS
from experiments.bench.epoch import RIVALS, measure, run
from ml.errors import InvalidInput


def test_every_method_has_a_row_and_a_positive_time() -> None:
    figures = run(sizes=(118,), seconds_per_size=0.0)
    methods = [row["method"] for row in figures["rows"]]
    assert methods == [*PEERS, "LFGCN", "LFGCN + P-DropEdge", *RIVALS]
    assert all(row["buses"] == 118 and row["ms"] > 0 for row in figures["rows"])
    assert figures["ratios"][0]["lfgcn_to_gcn"] > 0


def test_the_number_of_threads_is_restored() -> None:
    before = torch.get_num_threads()
    run(sizes=(), threads=1)
    assert torch.get_num_threads() == before


def test_methods_run_in_turns() -> None:
    calls: list[str] = []
    measure({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, seconds=0.0)
    assert calls[:6] == ["a", "b", "a", "a", "b", "b"]


def test_a_size_without_a_grid_is_refused() -> None:
    with pytest.raises(InvalidInput, match="119"):
        run(sizes=(119,))
