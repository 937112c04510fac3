"""Seeded splits of the labelled nodes."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ml.arrays import IntArray
from ml.errors import InvalidSplit
from ml.graph.split import Split, random_split, stratified_split

DRAWS = [random_split, stratified_split]
Draw = Callable[..., Split]


def labels_of(*counts: int) -> IntArray:
    """So many nodes of each class in turn, then two unlabelled ones."""
    labels = np.repeat(np.arange(len(counts)), counts)
    return np.concatenate([labels, [-1, -1]]).astype(np.int64)


def everything(split: Split) -> IntArray:
    return np.concatenate([split.train, split.validation, split.test])


@pytest.mark.parametrize("draw", DRAWS)
@given(counts=st.lists(st.integers(5, 40), min_size=1, max_size=5), seed=st.integers(0, 1000))
@settings(max_examples=25, deadline=None)
def test_every_labelled_node_is_in_exactly_one_set(
    draw: Draw, counts: list[int], seed: int
) -> None:
    labels = labels_of(*counts)
    assert sorted(everything(draw(labels, seed)).tolist()) == list(range(sum(counts)))


def test_a_hundred_nodes_are_split_ten_twenty_seventy() -> None:
    split = random_split(labels_of(40, 60), seed=0)
    assert [len(split.train), len(split.validation), len(split.test)] == [10, 20, 70]


def test_a_stratified_split_keeps_the_shares_in_every_class() -> None:
    labels = labels_of(20, 50, 30)
    split = stratified_split(labels, seed=0)
    assert np.bincount(labels[split.train]).tolist() == [2, 5, 3]
    assert np.bincount(labels[split.validation]).tolist() == [4, 10, 6]
    assert np.bincount(labels[split.test]).tolist() == [14, 35, 21]


def test_a_stratified_split_trains_on_every_class_however_rare() -> None:
    labels = labels_of(60, 2, 1)
    for seed in range(10):
        split = stratified_split(labels, seed)
        assert set(labels[split.train].tolist()) == {0, 1, 2}
        assert 1 in labels[split.validation]


@pytest.mark.parametrize("draw", DRAWS)
def test_a_seed_decides_the_split(draw: Draw) -> None:
    labels = labels_of(30, 30)
    assert draw(labels, 1).content_hash == draw(labels, 1).content_hash
    assert draw(labels, 1).content_hash != draw(labels, 2).content_hash


@pytest.mark.parametrize("draw", DRAWS)
def test_other_fractions_are_followed(draw: Draw) -> None:
    split = draw(labels_of(50, 50), 0, (0.6, 0.2, 0.2))
    assert [len(split.train), len(split.validation), len(split.test)] == [60, 20, 20]


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("fractions", [(0.5, 0.5, 0.5), (0.0, 0.3, 0.7), (0.5, 0.6, -0.1)])
def test_fractions_that_are_no_partition_are_refused(
    draw: Draw, fractions: tuple[float, float, float]
) -> None:
    with pytest.raises(InvalidSplit, match="fractions"):
        draw(labels_of(50), 0, fractions)


@pytest.mark.parametrize("draw", DRAWS)
def test_a_graph_without_labels_cannot_be_split(draw: Draw) -> None:
    with pytest.raises(InvalidSplit, match="label"):
        draw(np.full(9, -1), 0)


def test_too_few_nodes_for_three_sets_are_refused() -> None:
    with pytest.raises(InvalidSplit, match="too few"):
        random_split(labels_of(2), seed=0)


def test_masks_mark_the_three_sets() -> None:
    split = Split(np.array([3]), np.array([0, 2]), np.array([1]))
    train, validation, test = split.masks(5)
    assert train.tolist() == [False, False, False, True, False]
    assert validation.tolist() == [True, False, True, False, False]
    assert test.tolist() == [False, True, False, False, False]


def test_sets_are_stored_in_ascending_order() -> None:
    assert Split(np.array([5, 1, 3]), np.array([0]), np.array([2])).train.tolist() == [1, 3, 5]


def test_moving_a_node_to_another_set_changes_the_hash() -> None:
    one = Split(np.array([0, 1]), np.array([2]), np.array([3]))
    other = Split(np.array([0]), np.array([1, 2]), np.array([3]))
    assert one.content_hash != other.content_hash


def test_every_fault_of_a_split_is_named_at_once() -> None:
    with pytest.raises(InvalidSplit) as caught:
        Split(np.array([], dtype=np.int64), np.array([-1, 1]), np.array([1]))
    assert [fault.problem for fault in caught.value.faults] == [
        "a node has a negative position",
        "a node is given more than once",
        "no node to train on",
    ]
