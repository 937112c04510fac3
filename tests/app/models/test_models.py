import hashlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sqlalchemy import update
from starlette.testclient import TestClient

from app.errors import GraphNotFound, ModelNotFound, StoredDataDamaged
from app.models.predictions import pack_parts, unpack_probabilities
from app.models.service import load_weights
from app.storage.db import Database
from app.storage.tables import ModelRow
from ml import Split
from tests.app.samples import post_graph, put_model, ring


@pytest.fixture
def graph_id(any_api: TestClient) -> str:
    return post_graph(any_api)


def database_of(api: TestClient) -> Database:
    found: Database = api.app.state.database  # type: ignore[attr-defined]  # an ASGI app to mypy
    return found


def active_models(api: TestClient) -> list[str]:
    return [model["id"] for model in api.get("/models").json()["items"] if model["active"]]


def test_the_first_model_of_a_grid_and_label_is_active(any_api: TestClient, graph_id: str) -> None:
    model_id = put_model(any_api, graph_id)
    shown = any_api.get(f"/models/{model_id}").json()
    assert shown["active"]
    assert shown["promotion"] == "the first model of this grid and label"


def test_a_model_with_higher_validation_accuracy_becomes_active(
    any_api: TestClient, graph_id: str
) -> None:
    first = put_model(any_api, graph_id, accuracy=0.5)
    better = put_model(any_api, graph_id, accuracy=0.75)
    assert active_models(any_api) == [better]
    assert any_api.get(f"/models/{first}").json()["promotion"] is None
    promotion = any_api.get(f"/models/{better}").json()["promotion"]
    assert promotion == "better on validation: accuracy 0.7500, before 0.5000"


@pytest.mark.parametrize("accuracy", [0.5, 0.25])
def test_a_model_without_higher_validation_accuracy_does_not_become_active(
    any_api: TestClient, graph_id: str, accuracy: float
) -> None:
    first = put_model(any_api, graph_id, accuracy=0.5)
    put_model(any_api, graph_id, accuracy=accuracy)
    assert active_models(any_api) == [first]


def test_of_models_stored_simultaneously_the_best_is_active(
    any_api: TestClient, graph_id: str
) -> None:
    with ThreadPoolExecutor(4) as pool:
        scores = (0.1, 0.9, 0.3, 0.5)
        ids = list(pool.map(lambda score: put_model(any_api, graph_id, score), scores))
    assert active_models(any_api) == [ids[1]]


def test_a_model_shows_its_metrics_settings_and_hashes(any_api: TestClient, graph_id: str) -> None:
    model_id = put_model(any_api, graph_id, accuracy=0.5)
    shown = any_api.get(f"/models/{model_id}").json()
    assert shown["metrics"]["test"] == {"count": 2, "accuracy": 0.5, "macro_f1": 0.5}
    assert shown["config"] == {"alpha": 0.2}
    assert (shown["graph_hash"], shown["label_hash"], shown["split_hash"]) == ("g", "l", "s")
    assert shown["curves"] == {"epoch": [1, 2]}
    assert shown["sha256"] == hashlib.sha256(b"weights").hexdigest()
    assert shown["best_epoch"] == 3
    assert shown["manifest"] == {"seed": 0}


def test_models_are_listed_by_grid_and_label(any_api: TestClient, graph_id: str) -> None:
    other = post_graph(any_api, ring(name="other"))
    first, second = put_model(any_api, graph_id), put_model(any_api, other)
    listed = any_api.get("/models").json()["items"]
    assert [model["id"] for model in listed] == [second, first]
    for query, wanted in (
        ({"graph_id": graph_id}, [first]),
        ({"graph_id": other, "label": "label"}, [second]),
        ({"label": "none"}, []),
    ):
        found = any_api.get("/models", params=query).json()["items"]
        assert [model["id"] for model in found] == wanted


def test_models_are_listed_in_pages(any_api: TestClient, graph_id: str) -> None:
    ids = [put_model(any_api, graph_id) for _ in range(3)]
    first = any_api.get("/models?limit=2").json()
    second = any_api.get("/models", params={"limit": 2, "cursor": first["next_cursor"]}).json()
    assert [model["id"] for model in first["items"] + second["items"]] == ids[::-1]


def test_the_active_model_cannot_be_deleted(any_api: TestClient, graph_id: str) -> None:
    model_id = put_model(any_api, graph_id)
    answer = any_api.delete(f"/models/{model_id}")
    assert answer.status_code == 409
    assert answer.json()["type"] == "/problems/model-in-use"


def test_another_model_can_be_deleted(any_api: TestClient, graph_id: str) -> None:
    put_model(any_api, graph_id, accuracy=0.9)
    model_id = put_model(any_api, graph_id, accuracy=0.1)
    assert any_api.get("/predict/1", params={"model_id": model_id}).status_code == 200
    assert any_api.delete(f"/models/{model_id}").status_code == 204
    assert any_api.get(f"/models/{model_id}").status_code == 404
    assert any_api.get("/predict/1", params={"model_id": model_id}).status_code == 404


def test_a_model_that_does_not_exist_is_not_found(api: TestClient) -> None:
    for answer in (api.get("/models/none"), api.delete("/models/none")):
        assert answer.status_code == 404
        assert answer.json()["type"] == "/problems/model-not-found"


def test_a_model_of_a_deleted_grid_is_not_stored(any_api: TestClient, graph_id: str) -> None:
    any_api.delete(f"/graphs/{graph_id}")
    with pytest.raises(GraphNotFound):
        put_model(any_api, graph_id)
    assert any_api.get("/models").json()["items"] == []


def test_stored_weights_are_returned_unchanged(any_api: TestClient, graph_id: str) -> None:
    model_id = put_model(any_api, graph_id)
    with database_of(any_api).reading() as session:
        assert load_weights(session, model_id) == b"weights"
        with pytest.raises(ModelNotFound):
            load_weights(session, "none")


def test_manipulated_weights_are_rejected(any_api: TestClient, graph_id: str) -> None:
    model_id = put_model(any_api, graph_id)
    with database_of(any_api).writing() as session:
        session.execute(update(ModelRow).values(weights=b"Weights"))
    with database_of(any_api).reading() as session, pytest.raises(StoredDataDamaged):
        load_weights(session, model_id)


def test_the_part_of_the_split_is_packed_as_one_byte_per_bus() -> None:
    split = Split(np.array([3]), np.array([0, 4]), np.array([1]))
    assert list(pack_parts(split, 6)) == [2, 3, 0, 1, 2, 0]


@pytest.mark.parametrize(("blob", "classes"), [(b"123", 1), (b"12345678", 3), (b"", 0)])
def test_predictions_of_the_wrong_size_are_rejected(blob: bytes, classes: int) -> None:
    with pytest.raises(StoredDataDamaged):
        unpack_probabilities(blob, classes)
