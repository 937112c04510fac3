"""Known labels: how many, of which nodes, and which levels make sense."""

import numpy as np
import pytest

from experiments.selection.levels import LEVELS, LabelLevel, draw_known, find_obstacle
from experiments.selection.tasks import TASKS, PanelTask
from ml.graph.graph import UNLABELLED

LABELS = np.array([UNLABELLED, *[0] * 40, *[1] * 30, *[2] * 12])
BY_BUS = TASKS["activsg2000_zone"]
BY_SUBSTATION = TASKS["activsg2000_zone_substations"]


def level_of(key: str) -> LabelLevel:
    return next(level for level in LEVELS if level.key == key)


def draw(key: str, seed: int = 0, task: PanelTask = BY_BUS) -> np.ndarray:
    groups = np.arange(len(LABELS)) // 4
    return draw_known(LABELS, groups, task, level_of(key), seed)


@pytest.mark.parametrize(
    ("key", "counts"), [("1_per_class", [1, 1, 1]), ("10_per_class", [10, 10, 6])]
)
def test_a_level_per_class_takes_at_most_half_of_a_class(key: str, counts: list[int]) -> None:
    assert np.bincount(LABELS[draw(key)]).tolist() == counts


def test_a_fraction_is_one_of_the_labelled_nodes() -> None:
    assert len(draw("10_percent")) == 8
    assert len(draw("50_percent")) == 41


def test_the_draws_of_a_seed_contain_each_other_and_seeds_differ() -> None:
    few, many = draw("2_per_class"), draw("5_per_class")
    assert set(few) < set(many)
    assert draw("5_per_class", seed=0).tolist() == many.tolist()
    assert draw("5_per_class", seed=1).tolist() != many.tolist()


def test_whole_substations_are_known_or_not() -> None:
    known = draw("10_percent", task=BY_SUBSTATION)
    labelled = np.flatnonzero(LABELS != UNLABELLED)
    for group in np.unique(known // 4):
        assert set(labelled[labelled // 4 == group]) <= set(known)
    assert len(known) >= 8


def test_whole_substations_give_every_class_its_labels() -> None:
    counts = np.bincount(LABELS[draw("5_per_class", task=BY_SUBSTATION)])
    assert (counts >= 5).all()


def test_a_draw_has_two_classes_even_if_one_is_rare() -> None:
    labels = np.array([0] * 98 + [1] * 2)
    for seed in range(20):
        known = draw_known(labels, None, BY_BUS, level_of("2_percent"), seed)
        assert set(labels[known]) == {0, 1}


def test_levels_that_make_no_sense_are_named() -> None:
    assert find_obstacle(LABELS, level_of("10_per_class")) is None
    assert find_obstacle(LABELS, level_of("2_percent")) == "2 labels for 3 classes"
    small = np.repeat([0, 1], 12)
    assert find_obstacle(small, level_of("10_per_class")) is not None
    assert find_obstacle(small, level_of("5_per_class")) is None
