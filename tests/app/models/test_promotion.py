from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.app.samples import post_graph, put_model, ring


@pytest.fixture
def graph_id(any_api: TestClient) -> str:
    return post_graph(any_api)


def reasons(api: TestClient, model_id: str) -> list[str]:
    promotions = api.get(f"/models/{model_id}/card").json()["promotions"]
    return [promotion["reason"] for promotion in promotions]


def test_a_promoted_model_answers_even_if_it_is_worse(any_api: TestClient, graph_id: str) -> None:
    better = put_model(any_api, graph_id, accuracy=0.9)
    worse = put_model(any_api, graph_id, accuracy=0.1)
    answer = any_api.post(f"/models/{worse}/promote", json={"reason": "operators trust it"})
    assert answer.status_code == 200, answer.text
    assert (answer.json()["active"], answer.json()["promotion"]) == (True, "operators trust it")
    assert any_api.get("/predict/1").json()["model_id"] == worse
    assert not any_api.get(f"/models/{better}").json()["active"]


def test_the_reason_stays_on_the_card_after_another_model_became_active(
    any_api: TestClient, graph_id: str
) -> None:
    put_model(any_api, graph_id, accuracy=0.5)
    promoted = put_model(any_api, graph_id, accuracy=0.1)
    any_api.post(f"/models/{promoted}/promote", json={"reason": "for the audit"})
    later = put_model(any_api, graph_id, accuracy=0.7)
    assert any_api.get("/predict/1").json()["model_id"] == later
    assert reasons(any_api, promoted) == ["for the audit"]


def test_the_card_lists_every_promotion_in_order(any_api: TestClient, graph_id: str) -> None:
    model_id = put_model(any_api, graph_id)
    for reason in ("once", "again"):
        any_api.post(f"/models/{model_id}/promote", json={"reason": reason})
    first = "the first model of this grid and label"
    assert reasons(any_api, model_id) == [first, "once", "again"]


def test_a_promoted_model_is_deleted_with_its_grid(any_api: TestClient, graph_id: str) -> None:
    model_id = put_model(any_api, graph_id)
    any_api.post(f"/models/{model_id}/promote", json={"reason": "why not"})
    assert any_api.delete(f"/graphs/{graph_id}").status_code == 204
    assert any_api.get(f"/models/{model_id}/card").status_code == 404


def test_an_unknown_model_is_not_promoted(api: TestClient) -> None:
    answer = api.post("/models/none/promote", json={"reason": "because"})
    assert answer.status_code == 404
    assert answer.json()["type"] == "/problems/model-not-found"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"reason": ""},
        {"reason": "  "},
        {"reason": "a\nb"},
        {"reason": 1},
        {"reason": "x" * 501},
        {"reason": "x", "force": True},
        [],
        "because",
    ],
)
def test_a_promotion_with_an_invalid_reason_is_rejected(api: TestClient, body: Any) -> None:
    first = put_model(api, post_graph(api))
    answer = api.post(f"/models/{first}/promote", json=body)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert reasons(api, first) == ["the first model of this grid and label"]


def test_a_promotion_that_is_not_json_is_rejected(api: TestClient) -> None:
    model_id = put_model(api, post_graph(api))
    answer = api.post(f"/models/{model_id}/promote", content=b"reason=x")
    assert answer.status_code == 415
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_model_shows_the_shortest_request_that_it_answers(api: TestClient) -> None:
    first, second = post_graph(api), post_graph(api, ring(name="other"))
    labels = {"name": "the side", "labels": {"1": "a", "2": "b"}}
    api.post(f"/graphs/{first}/labels", json=labels)
    by_label = put_model(api, first, label="the side")
    by_grid = put_model(api, first, accuracy=0.9)
    beaten = put_model(api, first, accuracy=0.1)
    everywhere = put_model(api, second)
    asked = {
        by_label: f"GET /predict?graph_id={first}&label=the+side",
        by_grid: f"GET /predict?graph_id={first}",
        everywhere: "GET /predict",
    }
    for model_id, answers in asked.items():
        assert api.get(f"/models/{model_id}").json()["answers"] == answers
        assert api.get(f"/models/{model_id}/card").json()["answers"] == answers
        assert api.get(answers.removeprefix("GET ")).json()["model_id"] == model_id
    assert api.get(f"/models/{beaten}").json()["answers"] is None
