"""POST /models/{id}/replay and the sentences of its results."""

import pytest
from starlette.testclient import TestClient

from app.replays.result import ReplayDifference, ReplayResult
from tests.app.samples import post_graph, put_model

OTHER = ReplayDifference("versions.torch", "1", "2")


def test_a_replay_is_queued_as_a_job(any_api: TestClient) -> None:
    model_id = put_model(any_api, post_graph(any_api))
    answer = any_api.post(f"/models/{model_id}/replay")
    assert answer.status_code == 202
    job = any_api.get(answer.headers["location"]).json()
    assert (job["kind"], job["state"]) == ("replay", "queued")
    assert job["request"]["model_id"] == model_id


@pytest.mark.parametrize(("device", "queue"), [("cuda", "gpu"), ("cpu", "cpu"), ("auto", "cpu")])
def test_a_replay_uses_the_queue_of_its_device(api: TestClient, device: str, queue: str) -> None:
    model_id = put_model(api, post_graph(api), manifest={"config": {"device": device}})
    job = api.get(api.post(f"/models/{model_id}/replay").headers["location"]).json()
    assert job["queue"] == queue


def test_a_replay_of_an_unknown_model_is_not_found(api: TestClient) -> None:
    answer = api.post("/models/none/replay")
    assert answer.status_code == 404
    assert api.get("/jobs").json()["items"] == []


def test_the_same_idempotency_key_queues_one_replay(api: TestClient) -> None:
    model_id = put_model(api, post_graph(api))
    ids = [
        api.post(f"/models/{model_id}/replay", headers={"Idempotency-Key": "once"}).json()["job_id"]
        for _ in range(2)
    ]
    assert ids[0] == ids[1]


def test_a_model_is_not_deleted_while_a_job_uses_it(any_api: TestClient) -> None:
    graph_id = post_graph(any_api)
    put_model(any_api, graph_id, accuracy=0.9)
    model_id = put_model(any_api, graph_id, accuracy=0.1)
    job = any_api.post(f"/models/{model_id}/replay").json()["job_id"]
    refused = any_api.delete(f"/models/{model_id}")
    assert refused.status_code == 409
    assert job in refused.json()["detail"]
    any_api.delete(f"/jobs/{job}")
    assert any_api.delete(f"/models/{model_id}").status_code == 204


@pytest.mark.parametrize(
    ("result", "verdict", "words"),
    [
        (
            ReplayResult(
                differences=(),
                count=6,
                largest_difference=0.0,
                weights_equal=True,
                predictions_equal=True,
            ),
            "bit-equal",
            "all 6 logits are bit-equal",
        ),
        (
            ReplayResult(differences=(OTHER,), largest_difference=2e-5, tolerance=1e-3),
            "within tolerance",
            "within the tolerance of 0.001; differences from the manifest: versions.torch",
        ),
        (
            ReplayResult(differences=(), largest_difference=2e-5),
            "different",
            "differ by up to 2e-05, more than the tolerance of 0; no cause was found",
        ),
        (
            ReplayResult(differences=(), largest_difference=float("inf")),
            "different",
            "differ by up to inf",
        ),
        (ReplayResult.refuse((OTHER,)), "not replayable", "versions.torch"),
    ],
)
def test_the_verdict_is_written_as_one_sentence(
    result: ReplayResult, verdict: str, words: str
) -> None:
    stored = result.as_document(seconds=1.0)
    assert stored["verdict"] == verdict
    assert words in stored["sentence"]
