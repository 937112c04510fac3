"""Models downloaded as files and imported by the same or another service."""

import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pytest
from safetensors.numpy import load
from sqlalchemy import text, update
from starlette.testclient import TestClient

import ml
from app.models.files.importing import read_model_file, store_import
from app.settings import Settings
from app.storage.db import Database
from app.storage.migration import upgrade
from app.storage.tables import ModelRow
from tests.app.conftest import MakeApi
from tests.app.models.real_models import AUTO, post_ring, put_trained
from tests.app.samples import post_graph, put_model

METHODS = [
    key
    for key, method in ml.METHODS.items()
    if method.offered and (method.list_arrays or key == AUTO)
]


@pytest.fixture
def elsewhere(make_api: MakeApi, migrated_sqlite: Path, tmp_path: Path) -> TestClient:
    """Another service with another database."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    shutil.copy(migrated_sqlite, folder / "levygrid.db")
    return make_api(Settings(data_dir=folder))


@pytest.fixture
def on_postgres(make_api: MakeApi, postgres_url: str, tmp_path: Path) -> TestClient:
    """Another service, on Postgres."""
    upgrade(postgres_url)
    return make_api(Settings(data_dir=tmp_path / "postgres", database_url=postgres_url))


def download(api: TestClient, model_id: str) -> bytes:
    answer = api.get(f"/models/{model_id}/download")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/octet-stream"
    assert f"levygrid-{model_id}.safetensors" in answer.headers["content-disposition"]
    return answer.content


def send(api: TestClient, content: bytes) -> httpx2.Response:
    return api.post("/models/import", files={"file": ("model.safetensors", content)})


def predictions(api: TestClient, model_id: str) -> Any:
    return api.get("/predict", params={"model_id": model_id}).json()["probabilities"]


def has_ties(probabilities: list[list[float]]) -> bool:
    """Whether two classes of a bus are equal but for rounding, so that either may be called."""
    ordered = np.sort(np.array(probabilities), axis=1)
    return bool((ordered[:, -1] - ordered[:, -2] < 5e-7).any())


@pytest.mark.parametrize("method", METHODS)
def test_a_model_of_any_method_predicts_the_same_on_another_service(
    api: TestClient, elsewhere: TestClient, method: str
) -> None:
    model_id = put_trained(api, post_ring(api), method)
    post_ring(elsewhere)
    answer = send(elsewhere, download(api, model_id))
    assert answer.status_code == 201, answer.text
    made = answer.json()
    before = api.get(f"/models/{model_id}").json()
    for name in ("kind", "config", "sha256", "graph_hash", "label_hash", "split_hash"):
        assert made[name] == before[name], name
    for part in ("train", "validation", "test"):
        assert made["metrics"][part]["count"] == before["metrics"][part]["count"]
        if not has_ties(predictions(api, model_id)):
            assert made["metrics"][part]["confusion"] == before["metrics"][part]["confusion"]
    assert predictions(elsewhere, made["id"]) == predictions(api, model_id)
    assert elsewhere.get("/predict/1").json()["split"] == "train"


def test_a_model_with_presence_features_only_can_be_imported(
    api: TestClient, elsewhere: TestClient
) -> None:
    model_id = put_trained(api, post_ring(api), feature_scaling="presence")
    post_ring(elsewhere)
    made = send(elsewhere, download(api, model_id)).json()
    assert made["manifest"]["scaling"]["presence"] is True
    assert predictions(elsewhere, made["id"]) == predictions(api, model_id)


def test_an_imported_model_shows_its_origin(api: TestClient, elsewhere: TestClient) -> None:
    model_id = put_trained(api, post_ring(api))
    post_ring(elsewhere)
    made = send(elsewhere, download(api, model_id)).json()
    origin = elsewhere.get(f"/models/{made['id']}/card").json()["model"]["origin"]
    assert (origin["kind"], origin["model_id"]) == ("import", model_id)
    assert origin["predictions"] == "equal to those computed from the arrays, within 0.001"
    assert len(origin["file_sha256"]) == 64
    assert elsewhere.get(f"/models/{made['id']}/card.html").status_code == 200


def test_the_file_is_plain_safetensors_with_the_weights_and_the_predictions(
    api: TestClient,
) -> None:
    model_id = put_trained(api, post_ring(api), "mlp")
    tensors = load(download(api, model_id))
    assert tensors["predictions"].shape == (12, 3)
    assert {"layers.0.weight", "layers.0.bias"} <= set(tensors)


def test_importing_a_file_again_returns_the_same_model(
    api: TestClient, elsewhere: TestClient
) -> None:
    content = download(api, put_trained(api, post_ring(api)))
    post_ring(elsewhere)
    first, second = (send(elsewhere, content) for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json()["id"] == second.json()["id"]
    assert second.headers["location"] == f"/models/{first.json()['id']}"


def test_two_simultaneous_imports_of_a_file_store_one_model(
    api: TestClient, on_postgres: TestClient
) -> None:
    content = download(api, put_trained(api, post_ring(api), "majority"))
    post_ring(on_postgres)
    database: Database = on_postgres.app.state.database  # type: ignore[attr-defined]  # ASGI app

    def store() -> bool:
        with database.writing() as session:
            return store_import(session, model)[1]

    with database.reading() as session:
        model = read_model_file(session, content)
    with ThreadPoolExecutor(1) as pool:
        with database.writing() as session:
            assert store_import(session, model)[1]
            second = pool.submit(store)
            _wait_for_a_lock(database)
        assert not second.result(timeout=30)
    assert len(on_postgres.get("/models").json()["items"]) == 1


def _wait_for_a_lock(database: Database) -> None:
    waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with database.reading() as session:
            if session.scalar(waiting):
                return
        time.sleep(0.02)
    raise AssertionError("nobody waits for a lock")


def test_an_imported_model_becomes_active_only_if_there_is_no_active_model(
    api: TestClient, elsewhere: TestClient
) -> None:
    content = download(api, put_trained(api, post_ring(api), "mlp"))
    active = put_trained(elsewhere, post_ring(elsewhere), "majority")
    made = send(elsewhere, content).json()
    assert not made["active"]
    assert elsewhere.get("/predict/1").json()["model_id"] == active
    promoted = elsewhere.post(f"/models/{made['id']}/promote", json={"reason": "trusted"})
    assert promoted.json()["active"]


def test_a_file_for_an_unknown_grid_is_rejected_with_its_hash(
    api: TestClient, elsewhere: TestClient
) -> None:
    graph_id = post_ring(api)
    content = download(api, put_trained(api, graph_id))
    answer = send(elsewhere, content)
    assert answer.status_code == 422
    assert answer.json()["type"] == "/problems/model-rejected"
    (fault,) = answer.json()["errors"]
    assert fault["where"] == "grid.content_hash"
    assert api.get(f"/graphs/{graph_id}").json()["content_hash"] in fault["problem"]
    assert elsewhere.get("/models").json()["items"] == []


def test_a_method_that_cannot_be_imported_is_rejected(api: TestClient) -> None:
    content = download(api, put_trained(api, post_ring(api), "chebnet"))
    (fault,) = send(api, content).json()["errors"]
    assert fault["where"] == "manifest.config.method"


def test_the_download_of_an_unknown_model_is_not_found(api: TestClient) -> None:
    assert api.get("/models/none/download").json()["type"] == "/problems/model-not-found"


@pytest.mark.parametrize("weights", [b"", b"weights"])
def test_damaged_weights_are_not_sent(api: TestClient, weights: bytes) -> None:
    model_id = put_model(api, post_graph(api))
    database: Database = api.app.state.database  # type: ignore[attr-defined]  # an ASGI app to mypy
    with database.writing() as session:
        session.execute(update(ModelRow).values(weights=weights))
    answer = api.get(f"/models/{model_id}/download")
    assert answer.json()["type"] == "/problems/stored-data-damaged"


def test_a_body_that_is_not_a_form_is_rejected(api: TestClient) -> None:
    answer = api.post("/models/import", content=b"\0" * 8)
    assert (answer.status_code, answer.json()["type"]) == (415, "/problems/media-type-unsupported")


def test_a_form_without_a_file_is_rejected(api: TestClient) -> None:
    answer = api.post("/models/import", files={"model": b"x"})
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
