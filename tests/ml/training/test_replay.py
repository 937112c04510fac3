import copy
import os
from typing import Any

import numpy as np
import pytest
import torch

from ml.artifact.artifact import Artifact, pack
from ml.artifact.manifest import read_split
from ml.methods.registry import get_method, make_config
from ml.training.baselines import BaselineTask, fit_baseline
from ml.training.fit import TrainingResult, fit
from ml.training.replay import largest_difference, list_differences, threads_of
from tests.ml.small_grids import quick, ring_with_chords, split_of


@pytest.fixture(scope="module")
def result() -> TrainingResult:
    graph = ring_with_chords()
    return fit(graph, split_of(graph), quick(epochs=3))


def changed(result: TrainingResult, **changes: Any) -> dict[str, Any]:
    return copy.deepcopy(result.artifact.manifest) | changes


def test_a_run_just_done_differs_in_nothing(result: TrainingResult) -> None:
    assert list_differences(result.artifact.manifest, ring_with_chords()) == []


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"graph_hash": "0" * 64}, ["graph"]),
        ({"label_hash": "0" * 64}, ["labels"]),
        ({"split": {"hash": "0", "train": [0], "validation": [1], "test": [2]}}, ["split"]),
        ({"split": {"hash": "0", "train": "all"}}, ["split"]),
        ({"config": {"method": "lfgcn", "unheard_of": 1}}, ["config"]),
        ({"config": {"method": "lfgcn", "alpha": 7.0}}, ["config"]),
        ({"versions": {"torch": "1.0", "numpy": np.__version__}}, ["versions.torch"]),
        ({"cpu": "abacus"}, ["cpu"]),
    ],
    ids=str,
)
def test_what_is_not_as_in_the_manifest_is_named(
    result: TrainingResult, changes: dict[str, Any], what: list[str]
) -> None:
    found = list_differences(changed(result, **changes), ring_with_chords())
    assert [each.what for each in found] == what


def test_a_grid_that_has_changed_is_named_by_both_hashes(result: TrainingResult) -> None:
    other = ring_with_chords(seed=1)
    (difference,) = list_differences(result.artifact.manifest, other)
    assert (difference.what, difference.now) == ("graph", other.content_hash)
    assert difference.stored == ring_with_chords().content_hash


def test_a_setting_that_came_later_is_named_with_its_default(result: TrainingResult) -> None:
    manifest = changed(result)
    del manifest["config"]["dropout"]
    (difference,) = list_differences(manifest, ring_with_chords())
    assert (difference.what, difference.now) == ("settings.dropout", make_config().dropout)


def test_the_split_comes_back_from_the_manifest(result: TrainingResult) -> None:
    split = read_split(result.artifact.manifest)
    assert split is not None
    assert split.content_hash == split_of(ring_with_chords()).content_hash


@pytest.mark.parametrize("method", ["lfgcn", "lfgcn_plus", "gcn"])
def test_the_same_run_twice_has_equal_logits(method: str) -> None:
    graph = ring_with_chords()
    split = split_of(graph)
    first, second = (fit(graph, split, quick(epochs=3, method=method)) for _ in range(2))
    assert largest_difference(first.artifact, second.artifact, graph, split) == 0


def test_other_weights_have_other_logits(result: TrainingResult) -> None:
    graph = ring_with_chords()
    split = split_of(graph)
    tensors = result.artifact.tensors()
    tensors["layers.1.bias"] = tensors["layers.1.bias"] + np.float32(0.5)
    moved = pack(tensors, result.artifact.manifest)
    assert largest_difference(result.artifact, moved, graph, split) > 0.4


def test_arrays_of_another_shape_are_infinitely_far() -> None:
    graph = ring_with_chords()
    comparison = BaselineTask(graph, split_of(graph), quick(), lambda: None)
    forest = get_method("forest")
    small, large = (fit_baseline(forest, comparison, {"trees": trees}).artifact for trees in (1, 2))
    assert largest_difference(small, large, graph, comparison.split) == float("inf")
    assert largest_difference(small, Artifact(small.weights, {}, ""), graph, comparison.split) == 0


def test_a_run_is_repeated_with_the_threads_it_had() -> None:
    before = torch.get_num_threads()
    with threads_of({"threads": 1}):
        assert torch.get_num_threads() == 1
    with threads_of({"threads": 10**6}):
        assert torch.get_num_threads() == os.cpu_count()
    assert torch.get_num_threads() == before
