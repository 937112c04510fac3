"""Single methods answer from the known labels alone."""

import dataclasses

import numpy as np
import pytest

from experiments.selection.cells import KnownLabels
from experiments.selection.rivals import METHODS, SingleMethod, answer, find_obstacle
from ml.graph.graph import UNLABELLED
from ml.graph.surroundings import Surroundings
from ml.methods.registry import get_method
from tests.ml.communities import two_communities


def make_problem(known_per_class: int = 6, *, placed: bool = False) -> KnownLabels:
    graph = two_communities()
    known = np.concatenate([np.arange(known_per_class), 20 + np.arange(known_per_class)])
    labels = np.full_like(graph.labels, UNLABELLED)
    labels[known] = graph.labels[known]
    seen = dataclasses.replace(graph, labels=labels)
    places = np.column_stack([graph.labels + np.linspace(0, 0.4, 40), np.ones(40)])
    branches = np.column_stack([graph.labels, np.ones(40)]).astype(np.float64)
    around = Surroundings(None, places, branches) if placed else Surroundings()
    return KnownLabels(seen, around, known, graph.labels, np.array([0, 1]))


def method_of(key: str) -> SingleMethod:
    return next(method for method in METHODS if method.key == key)


def test_keys_are_unique_and_methods_of_the_registry_exist() -> None:
    assert len({method.key for method in METHODS}) == len(METHODS)
    for method in METHODS:
        if method.kind in {"direct", "network"}:
            assert get_method(method.method).is_network == (method.kind == "network")


@pytest.mark.parametrize("method", METHODS, ids=lambda one: one.key)
def test_every_method_that_applies_finds_two_communities(method: SingleMethod) -> None:
    problem = make_problem(placed=True)
    if find_obstacle(method, problem) is not None:
        assert method.key in {"lp_bridges", "lp_contrast"} or method.key.endswith("_words")
        return
    probabilities = answer(method, problem, 0)
    assert probabilities.shape == (40, 2)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert problem.score(probabilities) >= (0.3 if method.key == "majority" else 0.75)


def test_a_network_uses_one_label_per_class_without_validation() -> None:
    problem = make_problem(1)
    assert np.isfinite(answer(method_of("gcn"), problem, 0)).all()


def test_places_are_needed_by_methods_on_the_map() -> None:
    problem = make_problem()
    assert find_obstacle(method_of("nearest_1"), problem) == "the nodes have no places"
    unknown = "nothing is known about the branches"
    assert find_obstacle(method_of("forest_branches"), problem) == unknown
    assert find_obstacle(method_of("lp"), problem) is None


def test_a_bus_of_an_unknown_class_counts_as_wrong() -> None:
    problem = make_problem()
    truth = problem.truth.copy()
    truth[problem.tested[0]] = 2
    changed = dataclasses.replace(problem, truth=truth)
    perfect = np.eye(2)[problem.truth]
    assert problem.score(perfect) == 1
    assert changed.score(perfect) == pytest.approx(1 - 1 / len(problem.tested))
