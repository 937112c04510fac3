from typing import Any

import numpy as np
import pytest

from ml.arrays import FloatArray
from ml.errors import DatasetUnavailable
from ml.graph.graph import Graph
from ml.levy.closed_forms import label_matrix
from ml.methods import deepwalk, hand_rule, label_propagation
from ml.methods.direct import fit_direct
from ml.methods.label_propagation import LabelPropagationSettings
from ml.methods.registry import get_method
from tests.ml.communities import split_of, two_communities

SETTINGS: dict[str, dict[str, Any]] = {
    "closed_form": {"name": "FSL", "gamma": 0.5},
    "deepwalk": {"walks": 5, "length": 10, "size": 4},
    "forest": {"trees": 20},
    "gmnn": {"epochs": 20, "patience": None, "width": 8, "drop_edge": "uniform"},
    "label_propagation": {"normalised": True},
}

RULE = hand_rule.HandRuleSettings()


def classify(name: str, graph: Graph, seed: int = 0) -> FloatArray:
    method = get_method(name)
    settings = method.settings(**{**method.published, **SETTINGS.get(name, {}), "seed": seed})
    return fit_direct(method, graph, split_of(graph), settings)[0]


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_a_classifier_finds_communities_better_than_chance(name: str) -> None:
    graph = two_communities()
    called = classify(name, graph).argmax(axis=1)
    test = split_of(graph).test
    assert (called == graph.labels)[test].mean() > 0.7


@pytest.mark.parametrize("name", ["majority", *sorted(SETTINGS)])
def test_rows_are_distributions(name: str) -> None:
    probabilities = classify(name, two_communities(size=10))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-6)
    assert (probabilities >= 0).all()


@pytest.mark.parametrize("name", ["deepwalk", "forest", "gmnn"])
def test_equal_seeds_give_equal_answers(name: str) -> None:
    graph = two_communities(size=10)
    np.testing.assert_array_equal(classify(name, graph), classify(name, graph))


def test_propagation_reaches_the_fixed_point_of_clamped_averaging() -> None:
    graph = two_communities()
    split = split_of(graph)
    known = label_matrix(graph, split.train)
    state = known.copy()
    weights = graph.adjacency.toarray()
    step = weights / weights.sum(axis=1, keepdims=True)
    for _ in range(3000):
        state = step @ state
        state[split.train] = known[split.train]
    found = label_propagation.fit(graph, split, LabelPropagationSettings(normalised=False))[0]
    np.testing.assert_allclose(found, state, atol=1e-6)


def test_normalised_propagation_gives_each_class_its_share_of_the_mass() -> None:
    graph = two_communities()
    split = split_of(graph)
    known = label_matrix(graph, split.train)
    free = label_propagation.fit(graph, split, LabelPropagationSettings(normalised=False))[0]
    found = label_propagation.fit(graph, split, LabelPropagationSettings(normalised=True))[0]
    shares = known.sum(axis=0) / known.sum()
    expected = free * (shares / free.sum(axis=0))
    np.testing.assert_allclose(found, expected / expected.sum(axis=1, keepdims=True), atol=1e-9)
    np.testing.assert_array_equal(found[split.train], known[split.train])


def test_walkers_step_only_along_edges() -> None:
    graph = two_communities()
    walks = deepwalk.random_walks(graph.adjacency, 2, 6, np.random.default_rng(0))
    steps = graph.adjacency.toarray()[walks[:, :-1], walks[:, 1:]]
    assert (steps > 0).all()


def test_the_hand_rule_calls_buses_by_load_and_voltage() -> None:
    graph = Graph(
        3,
        np.array([[0, 1], [1, 2]]),
        np.ones(2),
        features=np.array([[5.0, 138.0], [0.0, 13.8], [0.0, 345.0]]),
        feature_names=("Pd", "baseKV"),
        labels=np.array([1, 2, 0]),
        class_names=("neither", "load", "generator"),
    )
    called = hand_rule.fit(graph, split_of(two_communities()), RULE)[0].argmax(axis=1)
    assert called.tolist() == [1, 2, 0]


def test_the_hand_rule_refuses_other_classes() -> None:
    graph = two_communities()
    with pytest.raises(DatasetUnavailable):
        hand_rule.fit(graph, split_of(graph), RULE)
