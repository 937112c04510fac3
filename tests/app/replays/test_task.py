"""Replays by a real worker, over HTTP."""

import hashlib
from collections.abc import Iterator
from typing import Any

import pytest
from safetensors.numpy import load, save
from sqlalchemy import update
from starlette.testclient import TestClient

from app.models.service import get_model, load_weights
from app.storage.tables import ModelRow
from tests.app.worker.conftest import Bench
from tests.app.worker.over_http import follow, serving

QUICK = {"epochs": 12, "width": 4, "seed": 3}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, Bench]]:
    with serving(tmp_path_factory.mktemp("replays")) as both:
        yield both


@pytest.fixture(scope="module")
def model_id(served: tuple[TestClient, Bench]) -> str:
    api, bench = served
    body = {"graph_id": bench.graph_id, "config": QUICK}
    model_id: str = follow(api, api.post("/train", json=body))["model_id"]
    return model_id


def replay(api: TestClient, model_id: str) -> dict[str, Any]:
    job = follow(api, api.post(f"/models/{model_id}/replay"))
    assert (job["kind"], job["model_id"]) == ("replay", model_id)
    result: dict[str, Any] = job["result"]["replay"]
    (newest, *_) = api.get(f"/models/{model_id}/card").json()["replays"]
    assert newest["sentence"] == result["sentence"]
    assert result["sentence"] in api.get(f"/models/{model_id}/card.html").text
    return result


def change_manifest(bench: Bench, model_id: str, **changes: Any) -> dict[str, Any]:
    with bench.database.writing() as session:
        before = dict(get_model(session, model_id).manifest)
        session.execute(
            update(ModelRow).where(ModelRow.id == model_id).values(manifest=before | changes)
        )
    return before


def test_a_replayed_network_has_bit_equal_logits(
    served: tuple[TestClient, Bench], model_id: str
) -> None:
    result = replay(served[0], model_id)
    assert result["verdict"] == "bit-equal"
    assert result["compared"] == "logits"
    assert (result["count"], result["largest_difference"]) == (60, 0.0)
    assert (result["weights_equal"], result["predictions_equal"]) == (True, True)
    assert result["differences"] == []


def test_a_replayed_baseline_is_bit_equal(served: tuple[TestClient, Bench], model_id: str) -> None:
    api, _ = served
    call = f"/models/{model_id}/baselines/forest/promote"
    made = api.post(call, json={"reason": "a try"}).json()
    result = replay(api, made["id"])
    assert (result["verdict"], result["compared"]) == ("bit-equal", "arrays")


def test_a_replay_uses_the_labels_that_the_model_has_learnt(
    served: tuple[TestClient, Bench], model_id: str
) -> None:
    api, bench = served
    learnt = api.get(f"/models/{model_id}").json()
    path = f"/graphs/{bench.graph_id}/labels"
    stored = api.get(f"{path}/{learnt['label']}").json()
    names = stored["class_names"]
    turned = [names[(code + 1) % len(names)] for code in stored["classes"]]
    others = dict(zip(stored["bus_ids"], turned, strict=True))
    body = {"name": learnt["label"], "labels": others}
    assert api.post(f"{path}?replace=true", json=body).json()["version"] == 2
    assert replay(api, model_id)["verdict"] == "bit-equal"
    again = follow(api, api.post("/train", json={"graph_id": bench.graph_id, "config": QUICK}))
    newer = api.get(f"/models/{again['model_id']}").json()
    assert (learnt["label_version"], newer["label_version"]) == (1, 2)
    assert newer["label_hash"] != learnt["label_hash"]


def test_a_hash_that_differs_from_the_manifest_is_reported(
    served: tuple[TestClient, Bench], model_id: str
) -> None:
    api, bench = served
    before = change_manifest(bench, model_id, label_hash="0" * 64)
    result = replay(api, model_id)
    change_manifest(bench, model_id, **before)
    assert result["verdict"] == "not replayable"
    (difference,) = result["differences"]
    assert (difference["what"], difference["stored"]) == ("labels", "0" * 64)


def test_manipulated_weights_differ_from_the_replay(
    served: tuple[TestClient, Bench], model_id: str
) -> None:
    api, bench = served
    with bench.database.writing() as session:
        tensors = load(load_weights(session, model_id))
        tensors["layers.0.bias"] = tensors["layers.0.bias"] + 1
        weights = save(tensors)
        digest = hashlib.sha256(weights).hexdigest()
        chosen = update(ModelRow).where(ModelRow.id == model_id)
        session.execute(chosen.values(weights=weights, sha256=digest))
    result = replay(api, model_id)
    assert result["verdict"] == "different"
    assert result["largest_difference"] > 0.01
    assert not result["weights_equal"]
