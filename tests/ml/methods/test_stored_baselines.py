"""Stored baselines answer as the objects that were measured did."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from ml.artifact.inputs import add_degree
from ml.errors import InvalidGraph
from ml.methods.base import Method
from ml.methods.registry import BASELINES, get_method, make_config
from ml.methods.stored import load_artifact, predict_probabilities
from ml.training.baselines import BaselineTask, FittedMethod, fit_baseline
from tests.ml.communities import split_of as community_split
from tests.ml.communities import two_communities
from tests.ml.small_grids import ring_with_chords, split_of

CONFIG = make_config(epochs=15, width=8, patience=None, device="cpu", seed=5)
KEYS = [method.key for method in BASELINES]
DIRECT = [method.key for method in BASELINES if not method.is_network]


def comparison() -> BaselineTask:
    graph = ring_with_chords()
    return BaselineTask(graph, split_of(graph), CONFIG, lambda: None)


def choices(method: Method) -> list[dict[str, Any]]:
    assert method.baseline_choices is not None
    return method.baseline_choices(ring_with_chords(), CONFIG)


def fit_first(key: str) -> FittedMethod:
    return fit_baseline(get_method(key), comparison(), choices(get_method(key))[0])


def stored_and_back(fitted: FittedMethod) -> FittedMethod:
    manifest = json.loads(json.dumps(fitted.artifact.manifest))
    return replace(fitted, artifact=load_artifact(fitted.artifact.weights, manifest))


def every_setting(method: Method) -> list[FittedMethod]:
    return [
        stored_and_back(fit_baseline(method, comparison(), settings))
        for settings in choices(method)
    ]


@pytest.mark.parametrize("key", DIRECT)
def test_stored_arrays_give_bit_for_bit_what_was_measured(key: str) -> None:
    for fitted in every_setting(get_method(key)):
        served = predict_probabilities(fitted.artifact, ring_with_chords())
        np.testing.assert_array_equal(served, fitted.probabilities)


@pytest.mark.parametrize("key", ["mlp", "gcn"])
def test_stored_networks_give_what_torch_gave(key: str) -> None:
    for fitted in every_setting(get_method(key)):
        served = predict_probabilities(fitted.artifact, ring_with_chords())
        np.testing.assert_allclose(served, fitted.probabilities, atol=1e-5)
        assert fitted.best_epoch in {record.epoch for record in fitted.history}


def test_node_arrays_are_the_forest_of_scikit_learn() -> None:
    graph = two_communities()
    split = community_split(graph)
    rows = BaselineTask(graph, split, CONFIG, lambda: None)
    fitted = fit_baseline(get_method("forest"), rows, {"trees": 30, "depth": None, "leaf": 1})
    columns = add_degree(graph.features, graph)
    forest = RandomForestClassifier(n_estimators=30, random_state=5)
    forest.fit(columns[split.train], graph.labels[split.train])
    other = two_communities(seed=4)
    served = predict_probabilities(fitted.artifact, other)
    wanted = forest.predict_proba(add_degree(other.features, other))
    np.testing.assert_array_equal(served, wanted)


def test_values_on_both_sides_of_a_cut_fall_as_in_the_tree() -> None:
    fitted = fit_baseline(get_method("one_rule"), comparison(), {"column": "load", "leaves": 3})
    (cuts,) = [fitted.artifact.tensors()["cuts"]]
    shares = fitted.artifact.tensors()["shares"]
    assert len(shares) == len(cuts) + 1
    values = np.concatenate([cuts - 1e-3, cuts + 1e-3, np.zeros(30 - 2 * len(cuts))])
    moved = ring_with_chords(features=np.stack([values, values], axis=1))
    served = predict_probabilities(fitted.artifact, moved)
    for position, _ in enumerate(cuts):
        np.testing.assert_array_equal(served[position], shares[position])
        np.testing.assert_array_equal(served[position + len(cuts)], shares[position + 1])


@pytest.mark.parametrize("key", ["forest", "one_rule", "mlp", "gcn"])
def test_features_the_graph_lacks_are_listed(key: str) -> None:
    fitted = fit_first(key)
    poor = ring_with_chords(features=np.ones((30, 1)), feature_names=("kv",))
    with pytest.raises(InvalidGraph, match="the model needs load"):
        predict_probabilities(fitted.artifact, poor)


@pytest.mark.parametrize("key", ["label_propagation", "closed_form"])
def test_scores_of_one_graph_are_refused_for_another(key: str) -> None:
    fitted = fit_first(key)
    with pytest.raises(InvalidGraph, match="its own graph"):
        predict_probabilities(fitted.artifact, ring_with_chords(node_count=31))


@pytest.mark.parametrize("key", KEYS)
def test_the_manifest_names_data_settings_and_versions(key: str) -> None:
    made = comparison()
    manifest = fit_first(key).artifact.manifest
    assert manifest["config"]["method"] == key
    assert manifest["graph_hash"] == made.graph.content_hash
    assert manifest["label_hash"] == made.graph.label_hash
    assert manifest["split"]["hash"] == made.split.content_hash
    assert {"numpy", "scikit-learn", "torch"} <= set(manifest["versions"])
