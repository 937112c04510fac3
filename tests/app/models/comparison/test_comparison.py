"""Comparison of two models."""

from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from ml import Split
from tests.app.samples import post_graph, put_model, ring

CLASSES = ("generator", "load", "neither")
COUNT = 40


@pytest.fixture
def graph_id(api: TestClient) -> str:
    return post_graph(api, ring(COUNT))


def put(api: TestClient, graph_id: str, wrong: set[int], *, start: int = 10, **extra: Any) -> str:
    """Store a model that is wrong at these buses; tests on all from ``start`` on but the last."""
    names = [("neither", "load", "generator")[bus % 3] for bus in range(1, COUNT + 1)]
    codes = np.array([CLASSES.index(name) for name in names])
    codes[list(wrong)] = (codes[list(wrong)] + 1) % 3
    split = Split(np.arange(3), np.arange(3, start), np.arange(start, COUNT - 1))
    manifest = {"config": {"alpha": 0.2}, "split": {"hash": str(start)}} | extra
    return put_model(
        api,
        graph_id,
        class_names=CLASSES,
        probabilities=np.eye(3)[codes],
        split=split,
        manifest=manifest,
    )


def compare(api: TestClient, first: str, second: str) -> dict[str, Any]:
    answer = api.get(f"/models/{first}/compare", params={"with": second})
    assert answer.status_code == 200, answer.text
    comparison: dict[str, Any] = answer.json()
    return comparison


def test_buses_where_only_one_model_is_right_are_counted(api: TestClient, graph_id: str) -> None:
    first = put(api, graph_id, wrong=set(range(12, 24)))
    second = put(api, graph_id, wrong={12, 30})
    found = compare(api, first, second)["common_test"]
    assert found["buses"] == 29
    assert (found["only_first_right"], found["only_second_right"]) == (1, 11)
    assert (found["both_right"], found["neither_right"]) == (16, 1)
    assert found["p_value"] == pytest.approx(0.00634765625)
    assert found["accuracy"]["difference"] == pytest.approx(10 / 29)
    assert found["verdict"].startswith("The second model is right where the first is wrong at 11")
    assert "unlikely to be chance" in found["verdict"]


def test_a_small_difference_may_be_chance(api: TestClient, graph_id: str) -> None:
    first, second = put(api, graph_id, wrong={12}), put(api, graph_id, wrong={20, 21})
    assert "may be due to chance" in compare(api, first, second)["common_test"]["verdict"]


def test_a_model_agrees_with_itself(api: TestClient, graph_id: str) -> None:
    first = put(api, graph_id, wrong={12})
    found = compare(api, first, first)
    assert found["agreement"] == {"count": 40, "buses": 40, "share": 1.0}
    assert found["config"] == []
    assert found["common_test"]["verdict"] == "Neither model is better on the 29 common test buses."
    assert found["warnings"] == []


def test_settings_that_differ_are_listed(api: TestClient, graph_id: str) -> None:
    first = put(api, graph_id, wrong=set())
    second = put(api, graph_id, wrong=set(), config={"alpha": 0.5, "trees": 100})
    assert compare(api, first, second)["config"] == [
        {"name": "alpha", "first": 0.2, "second": 0.5},
        {"name": "trees", "first": None, "second": 100},
    ]


def test_figures_are_shown_with_their_difference(api: TestClient) -> None:
    graph_id = post_graph(api)
    first, second = put_model(api, graph_id, 0.5), put_model(api, graph_id, 0.75)
    accuracy = compare(api, first, second)["metrics"]["validation"]["accuracy"]
    assert accuracy == {"first": 0.5, "second": 0.75, "difference": 0.25}


def test_every_class_is_compared(api: TestClient, graph_id: str) -> None:
    loads = {bus - 1 for bus in range(11, COUNT) if bus % 3 == 1}
    first, second = put(api, graph_id, wrong=loads), put(api, graph_id, wrong=set())
    rows = {row["class"]: row for row in compare(api, first, second)["per_class"]}
    assert rows["load"]["recall"] == {"first": 0.0, "second": 1.0, "difference": 1.0}
    assert rows["load"]["agreement"]["count"] == 0
    assert rows["generator"]["recall"]["difference"] == 0
    assert sum(row["support"] for row in rows.values()) == 29


def test_different_splits_cause_a_warning(api: TestClient, graph_id: str) -> None:
    first = put(api, graph_id, wrong=set())
    second = put(api, graph_id, wrong=set(), start=20)
    warnings = compare(api, first, second)["warnings"]
    assert len(warnings) == 1
    assert "only the 19 common test buses" in warnings[0]


def test_test_buses_that_the_other_model_was_trained_on_cause_a_warning(
    api: TestClient, graph_id: str
) -> None:
    first = put(api, graph_id, wrong=set())
    split = Split(np.arange(30, 39), np.arange(3), np.arange(3, 10))
    second = put_model(
        api,
        graph_id,
        class_names=CLASSES,
        probabilities=np.full((COUNT, 3), 1 / 3),
        split=split,
        manifest={"split": {"hash": "s"}},
    )
    warnings = compare(api, first, second)["warnings"]
    assert "The second model was trained on 9 test buses of the first." in warnings
    assert "The first model was trained on" not in " ".join(warnings)
    assert "The models have no common test bus: it is unknown which one is better." in warnings


def test_models_of_different_grids_are_not_compared(api: TestClient, graph_id: str) -> None:
    other = put_model(api, post_graph(api, ring(6)))
    answer = api.get(f"/models/{put(api, graph_id, set())}/compare", params={"with": other})
    assert answer.status_code == 409
    assert answer.json()["type"] == "/problems/models-not-comparable"


def test_models_of_different_labels_are_not_compared(api: TestClient) -> None:
    graph_id = post_graph(api)
    first, second = put_model(api, graph_id), put_model(api, graph_id, label="owner")
    answer = api.get(f"/models/{first}/compare", params={"with": second})
    assert answer.json()["detail"] == "The models have different labels."


def test_an_unknown_model_cannot_be_compared(api: TestClient, graph_id: str) -> None:
    model_id = put(api, graph_id, set())
    assert api.get(f"/models/{model_id}/compare", params={"with": "none"}).status_code == 404
    assert api.get(f"/models/none/compare?with={model_id}").status_code == 404
    assert api.get(f"/models/{model_id}/compare").status_code == 422
