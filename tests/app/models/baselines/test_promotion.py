"""Promotion of baselines."""

import re
from typing import Any

import httpx2
import pytest
from sqlalchemy import update
from starlette.testclient import TestClient

from app.models.service import load_weights
from app.storage.db import Database
from app.storage.tables import FittedBaselineRow, PredictionRow
from ml import Artifact
from tests.app.samples import compared, fitted_baseline, post_graph, put_model, report_on

REPORTS = compared(report_on("majority", 0.75), report_on("mlp", 0.6))


def put_beaten(api: TestClient, **extra: Any) -> str:
    """Store a model that a stored baseline beats on validation."""
    whole = {"baselines": REPORTS, "fitted": (fitted_baseline(),)} | extra
    return put_model(api, post_graph(api), accuracy=0.5, **whole)


def promote(api: TestClient, model_id: str, key: str = "majority") -> httpx2.Response:
    body = {"reason": "better on validation"}
    return api.post(f"/models/{model_id}/baselines/{key}/promote", json=body)


def database_of(api: TestClient) -> Database:
    database: Database = api.app.state.database  # type: ignore[attr-defined]  # an ASGI app to mypy
    return database


def test_promoting_a_baseline_stores_it_as_the_active_model(any_api: TestClient) -> None:
    model_id = put_beaten(any_api)
    answer = promote(any_api, model_id)
    assert answer.status_code == 201, answer.text
    made = answer.json()
    assert answer.headers["location"] == f"/models/{made['id']}"
    assert (made["kind"], made["active"]) == ("majority", True)
    assert made["promotion"] == "better on validation"
    prediction = any_api.get("/predict/1").json()
    assert prediction["model_id"] == made["id"]
    assert prediction["class"] == "neither"
    assert prediction["probabilities"] == {"generator": 0.25, "load": 0.25, "neither": 0.5}
    assert prediction["split"] == "train"
    assert prediction["warnings"] == []


def test_listing_model_and_card_name_the_path_that_promotes_a_baseline(any_api: TestClient) -> None:
    model_id = put_beaten(any_api)
    call = f"/models/{model_id}/baselines/majority/promote"
    (listed,) = any_api.get("/models").json()["items"]
    assert listed["better_baseline"] == {
        "key": "majority",
        "title": "Majority",
        "accuracy": 0.75,
        "promote": call,
    }
    assert any_api.get(f"/models/{model_id}").json()["best_baseline"]["promote"] == call
    card = any_api.get(f"/models/{model_id}/card").json()
    assert card["headline"].endswith(f" POST {call} lets it answer instead.")
    assert card["baselines"]["items"][0]["promote"] == call
    assert call in any_api.get(f"/models/{model_id}/card.html").text


def test_the_card_of_a_promoted_baseline_compares_it_with_the_model(api: TestClient) -> None:
    model_id = put_beaten(api)
    made = promote(api, model_id).json()
    card = api.get(f"/models/{made['id']}/card").json()
    assert card["model"]["origin"] == {"kind": "baseline", "model_id": model_id, "key": "majority"}
    assert card["model"]["what"].startswith("the class frequencies of the training buses")
    assert card["headline"].startswith("No baseline beats this model")
    assert card["metrics"]["validation"]["accuracy"] == 0.75
    assert card["split"]["hash"] == "s"
    titles = {item["key"]: item["promote"] for item in card["baselines"]["items"]}
    assert titles == {
        "lfgcn": f"/models/{model_id}/promote",
        "mlp": f"/models/{model_id}/baselines/mlp/promote",
    }
    assert api.get(f"/models/{made['id']}/card.html").status_code == 200


def test_a_promoted_baseline_has_the_measured_arrays(any_api: TestClient) -> None:
    made = promote(any_api, put_beaten(any_api)).json()
    with database_of(any_api).reading() as session:
        weights = load_weights(session, made["id"])
    stored = Artifact(weights, made["manifest"], made["sha256"])
    assert stored.tensors()["frequencies"].tolist() == [0.25, 0.25, 0.5]


def test_promoting_a_baseline_again_promotes_the_same_model(any_api: TestClient) -> None:
    model_id = put_beaten(any_api)
    first = promote(any_api, model_id).json()["id"]
    any_api.post(f"/models/{model_id}/promote", json={"reason": "on second thoughts"})
    again = promote(any_api, model_id)
    assert (again.status_code, again.json()["id"]) == (200, first)
    assert any_api.get("/predict/1").json()["model_id"] == first
    assert len(any_api.get("/models").json()["items"]) == 2


def test_a_model_is_not_deleted_while_a_promoted_baseline_refers_to_it(any_api: TestClient) -> None:
    model_id = put_beaten(any_api)
    child = promote(any_api, model_id).json()["id"]
    refused = any_api.delete(f"/models/{model_id}")
    assert refused.status_code == 409
    assert refused.json()["type"] == "/problems/model-in-use"
    assert child in refused.json()["detail"]
    any_api.post(f"/models/{model_id}/promote", json={"reason": "back"})
    assert any_api.delete(f"/models/{child}").status_code == 204
    assert promote(any_api, model_id).status_code == 201


def test_deleting_a_grid_deletes_models_and_promoted_baselines(any_api: TestClient) -> None:
    promote(any_api, put_beaten(any_api))
    graph_id = any_api.get("/graphs").json()["items"][0]["id"]
    assert any_api.delete(f"/graphs/{graph_id}").status_code == 204
    assert any_api.get("/models").json()["items"] == []


@pytest.mark.parametrize(
    ("key", "status", "slug"),
    [("forest", 404, "baseline-not-found"), ("mlp", 409, "baseline-not-kept")],
)
def test_a_baseline_that_is_not_stored_is_reported(
    api: TestClient, key: str, status: int, slug: str
) -> None:
    answer = promote(api, put_beaten(api), key)
    assert answer.status_code == status
    assert answer.json()["type"] == f"/problems/{slug}"
    assert len(api.get("/models").json()["items"]) == 1


def test_a_baseline_of_an_unknown_model_is_not_found(api: TestClient) -> None:
    assert promote(api, "none").json()["type"] == "/problems/model-not-found"


@pytest.mark.parametrize("damage", [{"weights": b"junk"}, {"probabilities": b"junk"}])
def test_a_manipulated_baseline_is_not_promoted(
    any_api: TestClient, damage: dict[str, bytes]
) -> None:
    model_id = put_beaten(any_api)
    with database_of(any_api).writing() as session:
        session.execute(update(FittedBaselineRow).values(**damage))
    answer = promote(any_api, model_id)
    assert answer.status_code == 500
    assert answer.json()["type"] == "/problems/stored-data-damaged"
    assert any_api.get("/predict/1").json()["model_id"] == model_id


def test_manipulated_predictions_are_not_returned(any_api: TestClient) -> None:
    put_beaten(any_api)
    with database_of(any_api).writing() as session:
        session.execute(update(PredictionRow).values(probabilities=b"\0" * 72))
    answer = any_api.get("/predict/1")
    assert answer.status_code == 500
    assert answer.json()["type"] == "/problems/stored-data-damaged"


def test_the_request_in_the_warning_promotes_the_baseline(api: TestClient) -> None:
    model_id = put_beaten(api)
    (warning,) = api.get(f"/models/{model_id}").json()["warnings"]
    call = re.search(r"POST (\S+) lets it answer", warning)
    assert call is not None
    answer = api.post(call[1])
    assert answer.status_code == 201, answer.text
    assert answer.json()["promotion"] == "promoted by hand, no reason given"
    assert api.post(call[1], json={}).status_code == 422
