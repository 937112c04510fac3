"""Baselines as a real worker measures them, seen over HTTP."""

import signal
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from app.graphs.service import get_label_set, load_grid, to_ml_graph
from app.models.service import get_model, load_weights
from app.storage.tables import JobRow
from ml import load_artifact, predict_probabilities
from tests.app.worker.conftest import Bench
from tests.app.worker.over_http import api_on, follow, serving
from tests.processes import wait_for

pytestmark = pytest.mark.long

KEYS = ["majority", "one_rule", "label_propagation", "closed_form", "forest", "mlp", "gcn"]
HOPELESS = {"epochs": 1, "learning_rate": 1e-9, "width": 1, "seed": 3}
"""Settings under which the network learns nothing."""


def train(api: TestClient, bench: Bench, **body: Any) -> dict[str, Any]:
    """Train over HTTP and return the card of the model."""
    wanted = {"graph_id": bench.graph_id, "config": HOPELESS} | body
    job = follow(api, api.post("/train", json=wanted))
    card: dict[str, Any] = api.get(f"/models/{job['model_id']}/card").json()
    return card


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, Bench]]:
    with serving(tmp_path_factory.mktemp("baselines")) as both:
        yield both


@pytest.fixture(scope="module")
def card(trained: tuple[TestClient, Bench]) -> dict[str, Any]:
    return train(*trained)


def test_all_baselines_are_measured_on_the_split_of_the_model(card: dict[str, Any]) -> None:
    items = card["baselines"]["items"]
    assert [item["key"] for item in items] == KEYS
    counts = card["split"]["counts"]
    for item in items:
        assert item["skipped"] is None, item
        assert item["seed"] == 3
        assert item["validation"]["count"] == counts["validation"]
        assert item["test"]["count"] == counts["test"]


def test_the_card_begins_with_a_warning_if_the_model_learnt_nothing(
    card: dict[str, Any], trained: tuple[TestClient, Bench]
) -> None:
    assert card["headline"].startswith("A baseline beats this model on validation: ")
    answer = trained[0].get("/predict/0", params={"model_id": card["model"]["id"]}).json()
    assert answer["warnings"] == card["warnings"]
    assert answer["warnings"][0] == card["headline"]


@pytest.mark.parametrize("key", KEYS)
def test_each_baseline_is_promoted_and_answers_as_its_stored_arrays_do(
    card: dict[str, Any], trained: tuple[TestClient, Bench], key: str
) -> None:
    api, bench = trained
    model_id = card["model"]["id"]
    body = {"reason": "a try"}
    made = api.post(f"/models/{model_id}/baselines/{key}/promote", json=body)
    assert made.status_code == 201, made.text
    answer = api.get("/predict").json()
    assert answer["model_id"] == made.json()["id"]
    with bench.database.reading() as session:
        row = get_model(session, made.json()["id"])
        artifact = load_artifact(load_weights(session, row.id), row.manifest)
        grid = load_grid(session, bench.graph_id)
        label_set = get_label_set(session, bench.graph_id, "role")
    graph = to_ml_graph(grid, label_set, row.manifest["feature_names"])
    served = predict_probabilities(artifact, graph)
    np.testing.assert_allclose(answer["probabilities"], served, atol=2e-6)
    (item,) = [item for item in card["baselines"]["items"] if item["key"] == key]
    own = made.json()["metrics"]
    assert own["test"]["accuracy"] == item["test"]["accuracy"]
    assert own["validation"]["log_loss"] == item["validation"]["log_loss"]


def test_the_card_has_the_report_on_the_label_and_how_the_split_was_drawn(
    card: dict[str, Any],
) -> None:
    assert card["suitability"]["class_counts"] == {"load": 20, "generator": 10}
    assert card["data"]["label_definition"] == "every third is a generator"
    assert (card["split"]["kind"], card["split"]["seed"]) == ("stratified", 0)


def test_the_page_of_a_trained_model_shows_every_part(
    card: dict[str, Any], trained: tuple[TestClient, Bench]
) -> None:
    html = trained[0].get(f"/models/{card['model']['id']}/card.html").text
    for text in ("Random forest", "One rule", "predicted generator", "Wilson", "Limits"):
        assert text in html


def test_a_card_without_baselines_reports_that_none_were_measured(
    trained: tuple[TestClient, Bench],
) -> None:
    plain = train(*trained, baselines=False)
    assert plain["headline"].startswith("No baseline was measured")
    assert plain["baselines"]["items"] == []
    assert plain["baselines"]["omitted"] == "the training request asked for no baselines"


def is_comparing(row: JobRow) -> bool:
    """Whether a baseline has been measured and another is at work."""
    return bool(row.progress.get("baselines"))


def test_a_job_is_cancelled_while_its_baselines_are_measured(bench: Bench) -> None:
    job_id = bench.enqueue(baselines=True, **HOPELESS)
    worker = bench.start_worker(baseline_seconds="600")
    row = bench.wait_for_job(job_id, is_comparing, "a baseline")
    assert row.progress["stage"].startswith("baselines: ")
    with api_on(bench) as api:
        assert api.delete(f"/jobs/{job_id}").status_code in {200, 202}
        bench.wait_for_state(job_id, "cancelled")
        assert api.get("/models").json()["items"] == []
    wait_for(lambda: not worker.children("app.worker.job_process"), "the end of the trainer")


@pytest.mark.slow
def test_a_job_whose_worker_is_stopped_during_the_baselines_is_resumed(
    bench: Bench,
) -> None:
    job_id = bench.enqueue(baselines=True, **HOPELESS)
    first = bench.start_worker(baseline_seconds="600")
    bench.wait_for_job(job_id, is_comparing, "a baseline")
    first.send(signal.SIGTERM)
    assert first.wait() == 0
    row = bench.job(job_id)
    assert (row.state, row.handed_back) == ("queued", 1)
    done = row.progress["baselines"]
    bench.start_worker(baseline_seconds="600")
    bench.wait_for_state(job_id, "succeeded")
    with api_on(bench) as api:
        model_id = api.get(f"/jobs/{job_id}").json()["model_id"]
        items = api.get(f"/models/{model_id}/card").json()["baselines"]["items"]
        calls = [item.pop("promote") for item in items]
        assert api.post(calls[0], json={"reason": "fitted again"}).status_code == 201
    assert [item["key"] for item in items] == KEYS
    assert items[: len(done)] == done
