"""GET /graphs/{id}/labels/{name}/suitability: measured by one job, then answered from storage."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from sqlalchemy import delete, func, select
from starlette.testclient import TestClient

from app.errors import LabelsRejected
from app.http.problems import describe_failure
from app.jobs.handle import JobHandle
from app.jobs.service import claim_job, finish_failed
from app.jobs.states import Claim, LeaseTerms
from app.labels import task
from app.labels.service import store_suitability
from app.labels.suitability import Suitability
from app.settings import Settings
from app.storage.db import Database
from app.storage.tables import JobRow, LabelRow, SuitabilityRow
from tests.app.samples import post_graph, ring

REPORT = Suitability(
    class_counts={"a": 1},
    classes_too_small=["a"],
    majority=1.0,
    adjusted_homophily=None,
    label_propagation=None,
    features_alone=None,
    single_columns=[],
    gives_away=[],
    verdict="none",
)


def _database(api: TestClient) -> Database:
    database: Database = api.app.state.database  # type: ignore[attr-defined]  # an ASGI app to mypy
    return database


def _address(graph_id: str, name: str = "label") -> str:
    return f"/graphs/{graph_id}/labels/{name}/suitability"


def _claim(api: TestClient, job_id: str) -> JobRow:
    with _database(api).writing() as session:
        job = claim_job(session, job_id, LeaseTerms("test", 60, 3))
    assert job is not None
    return job


def _run_job(api: TestClient, job_id: str) -> None:
    job = _claim(api, job_id)
    handle = JobHandle(_database(api), Claim(job.id, job.attempt), 60, Event())
    task.run(job, handle, Settings())


def _count(api: TestClient, table: Any) -> int:
    with _database(api).reading() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def test_the_report_is_measured_by_a_job_and_then_stored(any_api: TestClient) -> None:
    address = _address(post_graph(any_api, ring(33)))
    first = any_api.get(address)
    assert first.status_code == 202
    assert first.headers["location"] == first.json()["href"] == f"/jobs/{first.json()['job_id']}"
    job = any_api.get(first.headers["location"]).json()
    assert (job["kind"], job["state"], job["label"]) == ("suitability", "queued", "label")
    _run_job(any_api, first.json()["job_id"])
    assert any_api.get(first.headers["location"]).json()["state"] == "succeeded"
    answer = any_api.get(address)
    assert answer.status_code == 200
    assert answer.json()["name"] == "label"
    assert sum(answer.json()["class_counts"].values()) > 0
    assert _count(any_api, JobRow) == 1


def test_a_second_request_gets_the_job_that_runs(api: TestClient) -> None:
    address = _address(post_graph(api, ring(33)))
    first = api.get(address).json()["job_id"]
    assert api.get(address).json()["job_id"] == first
    _claim(api, first)
    again = api.get(address).json()
    assert (again["job_id"], again["state"]) == (first, "running")
    assert _count(api, JobRow) == 1


def test_concurrent_requests_start_one_job(any_api: TestClient) -> None:
    address = _address(post_graph(any_api, ring(33)))
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(any_api.get, [address] * 4))
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.json()["job_id"] for answer in answers}) == 1
    assert _count(any_api, JobRow) == 1


def test_after_a_failed_job_the_next_request_starts_another(api: TestClient) -> None:
    address = _address(post_graph(api, ring(33)))
    first = api.get(address).json()["job_id"]
    job = _claim(api, first)
    with _database(api).writing() as session:
        failure = describe_failure(LabelsRejected("test"))
        finish_failed(session, Claim(job.id, job.attempt), failure)
    second = api.get(address)
    assert second.status_code == 202
    assert second.json()["job_id"] != first


@pytest.mark.parametrize("name", ["zone", "no such label"])
def test_absent_labels_have_no_report(api: TestClient, name: str) -> None:
    answer = api.get(_address(post_graph(api), name))
    assert answer.status_code == 404
    assert answer.json()["type"] == "/problems/label-not-found"
    assert _count(api, JobRow) == 0


def test_an_absent_grid_has_no_report(api: TestClient) -> None:
    answer = api.get(_address("nowhere"))
    assert answer.status_code == 404
    assert answer.json()["type"] == "/problems/graph-not-found"


def test_deleting_the_grid_removes_its_reports(any_api: TestClient) -> None:
    graph_id = post_graph(any_api, ring(33))
    with _database(any_api).writing() as session:
        store_suitability(session, graph_id, "label", REPORT)
    assert any_api.get(_address(graph_id)).json()["verdict"] == "none"
    assert any_api.delete(f"/graphs/{graph_id}").status_code == 204
    assert _count(any_api, SuitabilityRow) == 0


def test_deleting_the_label_set_removes_its_report(any_api: TestClient) -> None:
    graph_id = post_graph(any_api, ring(33))
    with _database(any_api).writing() as session:
        store_suitability(session, graph_id, "label", REPORT)
    with _database(any_api).writing() as session:
        session.execute(delete(LabelRow).where(LabelRow.graph_id == graph_id))
    assert _count(any_api, SuitabilityRow) == 0
    assert any_api.get(_address(graph_id)).status_code == 404


def test_a_grid_is_in_use_while_its_labels_are_measured(api: TestClient) -> None:
    graph_id = post_graph(api, ring(33))
    assert api.get(_address(graph_id)).status_code == 202
    assert api.delete(f"/graphs/{graph_id}").status_code == 409
