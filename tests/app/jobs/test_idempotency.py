"""The header Idempotency-Key: a request that is repeated makes no second job."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import httpx2
import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from app.storage.db import Database
from app.storage.tables import IdempotencyKeyRow
from tests.app.ingest.requests import SMALL_CASE
from tests.app.samples import post_graph, ring

KEY = "8e03978e-40d5-43e8-bc93-6894a57f9324"


@pytest.fixture
def graph_id(any_api: TestClient) -> str:
    return post_graph(any_api, ring(30))


def train(
    api: TestClient, graph_id: str, key: str | bytes | None = KEY, **body: Any
) -> httpx2.Response:
    headers = {} if key is None else {"Idempotency-Key": key}
    return api.post("/train", json={"graph_id": graph_id} | body, headers=headers)  # type: ignore[arg-type]


def job_ids(api: TestClient) -> list[str]:
    return [job["id"] for job in api.get("/jobs").json()["items"]]


def database_of(api: TestClient) -> Database:
    database: Database = api.app.state.database  # type: ignore[attr-defined]  # an ASGI app to mypy
    return database


def make_keys_older(api: TestClient, hours: float) -> None:
    with database_of(api).writing() as session:
        for row in session.scalars(select(IdempotencyKeyRow)):
            row.created_at -= timedelta(hours=hours)


def test_the_same_request_gets_the_same_answer_and_job(any_api: TestClient, graph_id: str) -> None:
    first = train(any_api, graph_id)
    again = train(any_api, graph_id)
    assert (first.status_code, again.status_code) == (202, 202)
    assert again.json() == first.json()
    assert again.headers["location"] == first.headers["location"]
    assert job_ids(any_api) == [first.json()["job_id"]]


def test_the_response_to_a_repeated_request_is_the_same_after_the_job_has_ended(
    any_api: TestClient, graph_id: str
) -> None:
    first = train(any_api, graph_id)
    any_api.delete(first.headers["location"])
    assert train(any_api, graph_id).json() == first.json()


def test_a_request_with_explicit_defaults_is_the_same_request(api: TestClient) -> None:
    graph_id = post_graph(api, ring(30))
    first = train(api, graph_id)
    assert train(api, graph_id, priority=0, baselines=True).json() == first.json()


def test_a_key_that_was_used_for_another_request_is_refused(
    any_api: TestClient, graph_id: str
) -> None:
    first = train(any_api, graph_id)
    other = train(any_api, graph_id, config={"epochs": 7})
    assert other.status_code == 422
    assert other.json()["type"] == "/problems/idempotency-key-reused"
    assert other.json()["errors"][0]["where"] == "header.Idempotency-Key"
    assert job_ids(any_api) == [first.json()["job_id"]]


def test_different_keys_and_no_key_create_separate_jobs(api: TestClient) -> None:
    graph_id = post_graph(api, ring(30))
    made = {train(api, graph_id, key).json()["job_id"] for key in ("a", "b", None)}
    made.add(train(api, graph_id, None).json()["job_id"])
    assert len(made) == 4


def test_a_refused_request_leaves_its_key_unused(any_api: TestClient, graph_id: str) -> None:
    assert train(any_api, graph_id, config={"alpha": 2}).status_code == 422
    assert train(any_api, graph_id).status_code == 202


def test_simultaneous_requests_make_one_job(any_api: TestClient, graph_id: str) -> None:
    count = 6
    barrier = Barrier(count)

    def send(_: int) -> httpx2.Response:
        barrier.wait()
        return train(any_api, graph_id)

    with ThreadPoolExecutor(count) as pool:
        answers = list(pool.map(send, range(count)))
    assert [answer.status_code for answer in answers] == [202] * count
    assert {answer.json()["job_id"] for answer in answers} == set(job_ids(any_api))
    assert len(job_ids(any_api)) == 1


def test_an_expired_key_can_be_used_for_a_new_request(any_api: TestClient, graph_id: str) -> None:
    first = train(any_api, graph_id)
    make_keys_older(any_api, hours=25)
    second = train(any_api, graph_id, config={"epochs": 7})
    assert second.status_code == 202
    assert second.json()["job_id"] != first.json()["job_id"]
    assert train(any_api, graph_id, config={"epochs": 7}).json() == second.json()


def test_expired_keys_of_other_requests_are_deleted(any_api: TestClient, graph_id: str) -> None:
    for key in ("a", "b"):
        train(any_api, graph_id, key)
    make_keys_older(any_api, hours=25)
    train(any_api, graph_id, "c")
    with database_of(any_api).reading() as session:
        assert session.scalars(select(IdempotencyKeyRow.key)).all() == ["c"]


def test_a_key_outlives_the_grid_of_its_job(any_api: TestClient, graph_id: str) -> None:
    first = train(any_api, graph_id)
    any_api.delete(first.headers["location"])
    assert any_api.delete(f"/graphs/{graph_id}").status_code == 204
    assert train(any_api, graph_id).json() == first.json()


@pytest.mark.parametrize("key", [b"", b"x" * 201, b"two words", "schlüssel".encode("latin-1")])
def test_a_key_out_of_bounds_is_refused(api: TestClient, key: bytes) -> None:
    answer = train(api, post_graph(api, ring(30)), key)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["where"] == "header.Idempotency-Key"
    assert job_ids(api) == []


def test_computed_labels_accept_an_idempotency_key(any_api: TestClient) -> None:
    graph_id = any_api.post("/graphs", files={"file": ("small.m", SMALL_CASE)}).json()["id"]
    path = f"/graphs/{graph_id}/labels"
    body = {"kind": "n1_exposure"}

    def ask() -> httpx2.Response:
        return any_api.post(path, json=body, headers={"Idempotency-Key": KEY})

    first = ask()
    assert first.status_code == 202, first.text
    assert ask().json() == first.json()
    assert job_ids(any_api) == [first.json()["job_id"]]
    other = train(any_api, graph_id)
    assert other.json()["type"] == "/problems/idempotency-key-reused"


def test_the_description_shows_the_header(api: TestClient) -> None:
    paths = api.get("/openapi.json").json()["paths"]
    for path in ("/train", "/graphs/{graph_id}/labels"):
        (header,) = [one for one in paths[path]["post"]["parameters"] if one["in"] == "header"]
        assert header["name"] == "Idempotency-Key"
        assert header["schema"]["anyOf"][0]["maxLength"] == 200
