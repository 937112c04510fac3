"""The arrays of a stored automatic choice, checked per family of its members."""

from typing import Any

import numpy as np
import pytest

import ml
from ml.artifact.artifact import Tensors
from ml.methods.stored_choice import StoredMember, list_choice_faults
from ml.training.selection.columns import FeatureParts
from ml.training.selection.networks import configure, train_epochs
from ml.training.selection.tabular import fit_tabular
from tests.ml.training.selection.problems import make_communities

PROBLEM, _ = make_communities(known=12)
GRAPH = PROBLEM.graph
LABELS = len(PROBLEM.known)
SIZES = ml.ModelSizes(GRAPH.node_count, GRAPH.features.shape[1], GRAPH.class_count)
TABULAR: dict[str, dict[str, Any]] = {
    "forest": {"parts": ["own", "neighbours", "scores"]},
    "extra_trees": {"parts": ["own"]},
    "logistic": {"parts": ["own", "near"], "C": 1.0},
    "nearest": {"parts": ["own"], "neighbours": 3},
}


def store(member: StoredMember, arrays: Tensors) -> dict[str, Any]:
    """Return the arrays of a choice with one member."""
    even = np.full((SIZES.nodes, SIZES.classes), 1 / SIZES.classes)
    own = {f"members.0.{name}": np.array(value) for name, value in arrays.items()}
    return {"refitted": even, "held_out": even[:LABELS], **own}


def fit(method: str) -> tuple[StoredMember, dict[str, Any]]:
    settings = TABULAR[method]
    columns = FeatureParts(PROBLEM).make(settings["parts"], PROBLEM.known)
    arrays = fit_tabular(method, settings, columns, GRAPH, PROBLEM.known, 0).tensors
    member = StoredMember("tabular", method, settings)
    return member, store(member, arrays)


def list_places(member: StoredMember, tensors: dict[str, Any]) -> dict[str, str]:
    faults = list_choice_faults([member], tensors, SIZES, LABELS)
    return {fault.where: fault.problem for fault in faults}


@pytest.mark.parametrize("method", TABULAR)
def test_a_fitted_feature_method_has_no_fault(method: str) -> None:
    assert list_places(*fit(method)) == {}


@pytest.mark.parametrize("method", ["lfgcn", "gcn", "appnp"])
def test_a_trained_network_has_no_fault(method: str) -> None:
    settings = {"method": method, "width": 4, "stops": (2,)}
    _, artifact = train_epochs(GRAPH, PROBLEM.known, configure(settings, 0), (2,))
    member = StoredMember("network", method, settings)
    assert list_places(member, store(member, artifact.tensors())) == {}


def test_a_network_of_another_width_is_named() -> None:
    settings = {"method": "gcn", "width": 4, "stops": (2,)}
    _, artifact = train_epochs(GRAPH, PROBLEM.known, configure(settings, 0), (2,))
    member = StoredMember("network", "gcn", settings | {"width": 8})
    places = list_places(member, store(member, artifact.tensors()))
    assert any(where.startswith("members.0.") for where in places)


def test_a_tree_that_never_ends_is_found() -> None:
    member, tensors = fit("forest")
    tensors["members.0.left"][0] = 0
    assert "behind its parent" in list_places(member, tensors)["members.0.left"]


def test_a_tree_on_a_column_that_does_not_exist_is_found() -> None:
    member, tensors = fit("extra_trees")
    inner = np.flatnonzero(tensors["members.0.left"] >= 0)
    tensors["members.0.feature"][inner[0]] = SIZES.features + 1
    assert "outside the" in list_places(member, tensors)["members.0.feature"]


def test_a_class_that_does_not_exist_is_found() -> None:
    member, tensors = fit("nearest")
    tensors["members.0.labels"][0] = SIZES.classes
    assert "names a class outside" in list_places(member, tensors)["members.0.labels"]


def test_too_few_rows_and_another_type_are_found() -> None:
    member, tensors = fit("nearest")
    tensors["members.0.rows"] = tensors["members.0.rows"][1:]
    tensors["members.0.labels"] = tensors["members.0.labels"].astype(np.int32)
    assert set(list_places(member, tensors)) == {"members.0.rows", "members.0.labels"}
