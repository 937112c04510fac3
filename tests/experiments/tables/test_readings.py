import numpy as np

from experiments.datasets.dataset import Dataset
from experiments.tables.readings import DIVISIONS, READINGS, divide_anew, tabulate
from tests.ml.small_grids import ring_with_chords, split_of


def dataset(*, published: bool) -> Dataset:
    graph = ring_with_chords()
    split = split_of(graph) if published else None
    return Dataset(name="ring", title="Ring", graph=graph, published=split)


def test_published_test_nodes_are_left_out() -> None:
    published = split_of(ring_with_chords())
    for split in divide_anew(dataset(published=True), 5):
        used = np.concatenate([split.train, split.validation])
        assert not np.isin(used, published.test).any()
        assert len(split.train) == len(published.train)
        assert len(split.test) == 0


def test_divisions_differ() -> None:
    first, second = divide_anew(dataset(published=True), 2)
    assert first.content_hash != second.content_hash


def test_a_grid_without_a_published_split_gets_a_drawn_one() -> None:
    (split,) = divide_anew(dataset(published=False), 1)
    assert len(split.train) == 3
    assert len(split.validation) == 6


def test_missing_cells_are_marked_as_not_run() -> None:
    reading = next(iter(READINGS))
    row = {"reading": reading, "accuracy": 0.5, "error": 0.01, "loss": 1.0}
    lines = tabulate([{**row, "dataset": "ieee118"}], READINGS, DIVISIONS)
    assert lines[2] == f"| {reading} | 50.0 ± 1.0 (1.000) | not run | not run | not run |"


def test_the_mean_is_over_all_grids() -> None:
    reading = next(iter(READINGS))
    rows = [
        {"reading": reading, "dataset": name, "accuracy": share, "error": 0.0, "loss": 0.0}
        for name, share in zip(DIVISIONS, (0.3, 0.6, 0.9), strict=True)
    ]
    assert tabulate(rows, READINGS, DIVISIONS)[2].endswith("| 60.00 |")
