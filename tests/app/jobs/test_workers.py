"""Queues, the workers that serve them, and what a job says while it waits."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from sqlalchemy import delete, select
from starlette.testclient import TestClient

from app.jobs import service, workers
from app.jobs.queues import Queue, choose_queue
from app.jobs.service import Origin
from app.jobs.states import LeaseTerms
from app.storage.db import Database, current_time
from app.storage.documents import JobPayload
from app.storage.tables import JobRow, WorkerRow
from tests.app.samples import post_graph, ring

CUDA: JobPayload = {"config": {"device": "cuda"}}


def enqueue(database: Database, payload: JobPayload, priority: int = 0) -> JobRow:
    with database.writing() as session:
        return service.enqueue(session, "train", payload, Origin(priority=priority))


def show(
    database: Database, name: str, queues: Sequence[str], concurrency: int = 1, host: str = "here"
) -> None:
    row = WorkerRow(
        name=name, host=host, queues=list(queues), device="cpu", concurrency=concurrency
    )
    with database.writing() as session:
        workers.record_heartbeat(session, row, 60)


def grow_old(database: Database, name: str, seconds: float) -> None:
    with database.writing() as session:
        row = session.get_one(WorkerRow, name)
        row.heartbeat_at = current_time(session) - timedelta(seconds=seconds)


def explain(database: Database, job: JobRow) -> str | None:
    with database.reading() as session:
        return workers.explain_wait(session, service.get_job(session, job.id), 60)


@pytest.fixture(autouse=True)
def _no_workers(request: pytest.FixtureRequest) -> None:
    if "database" in request.fixturenames:
        database: Database = request.getfixturevalue("database")
        with database.writing() as session:
            session.execute(delete(WorkerRow))


@pytest.mark.parametrize(
    ("payload", "queue"),
    [
        ({}, Queue.CPU),
        ({"config": {"device": "auto"}}, Queue.CPU),
        ({"config": {"device": "cpu"}}, Queue.CPU),
        (CUDA, Queue.GPU),
    ],
)
def test_only_a_job_that_demands_a_gpu_waits_for_one(payload: JobPayload, queue: Queue) -> None:
    assert choose_queue(payload) is queue


def test_a_worker_takes_the_jobs_of_its_queues_only(database: Database) -> None:
    for_gpu, for_cpu = enqueue(database, CUDA, priority=9), enqueue(database, {})
    terms = LeaseTerms("cpu worker", 60, 3, (Queue.CPU,))
    with database.writing() as session:
        assert service.has_work(session, (Queue.CPU,))
        claimed = service.claim_next(session, terms)
        assert claimed is not None
        assert claimed.id == for_cpu.id
        assert not service.has_work(session, (Queue.CPU,))
        assert service.claim_next(session, terms) is None
        assert service.claim_job(session, for_gpu.id, terms) is None
        assert service.claim_job(session, for_gpu.id, LeaseTerms("any", 60, 3)) is not None


def test_a_lost_gpu_job_is_not_resumed_without_a_gpu(database: Database) -> None:
    enqueue(database, CUDA)
    with database.writing() as session:
        service.claim_next(session, LeaseTerms("lost", -1, 3, (Queue.GPU,)))
        assert service.claim_next(session, LeaseTerms("cpu worker", 60, 3, (Queue.CPU,))) is None


def test_a_job_that_no_worker_can_run_reports_that(database: Database) -> None:
    show(database, "a", ["cpu"])
    reason = explain(database, enqueue(database, CUDA))
    assert reason is not None
    assert "No running worker serves the queue 'gpu'" in reason
    assert "levygrid worker --queue gpu" in reason


def test_a_queued_job_reports_how_many_jobs_are_ahead(database: Database) -> None:
    show(database, "a", ["cpu"])
    first, last = enqueue(database, {}), enqueue(database, {})
    enqueue(database, {}, priority=5)
    enqueue(database, CUDA, priority=9)
    assert explain(database, first) == "1 job is ahead of it."
    assert explain(database, last) == "2 jobs are ahead of it."


def test_the_first_job_in_the_queue_reports_that_it_is_next(database: Database) -> None:
    show(database, "a", ["cpu", "gpu"])
    assert explain(database, enqueue(database, CUDA)) == "The next free worker takes it."


def test_a_running_job_has_no_waiting_reason(database: Database) -> None:
    job = enqueue(database, {})
    with database.writing() as session:
        service.claim_next(session, LeaseTerms("a", 60, 3))
    assert explain(database, job) is None


def test_a_worker_without_a_recent_heartbeat_does_not_count(database: Database) -> None:
    show(database, "a", ["cpu"])
    grow_old(database, "a", 61)
    reason = explain(database, enqueue(database, {}))
    assert reason is not None
    assert reason.startswith("No running worker serves the queue 'cpu'")


def test_workers_without_a_heartbeat_for_long_are_deleted(database: Database) -> None:
    for name in ("a", "b"):
        show(database, name, ["cpu"])
    grow_old(database, "a", 121)
    show(database, "b", ["cpu"])
    with database.reading() as session:
        assert session.scalars(select(WorkerRow.name)).all() == ["b"]


def test_the_slots_of_a_host_are_those_of_its_workers(database: Database) -> None:
    show(database, "a", ["cpu"], concurrency=2)
    show(database, "b", ["gpu"])
    show(database, "c", ["cpu"], concurrency=4, host="elsewhere")
    with database.reading() as session:
        assert workers.count_slots(session, "here", 60) == 3


def test_a_job_reports_its_queue_and_why_it_waits(any_api: TestClient) -> None:
    body = {"graph_id": post_graph(any_api, ring(30)), "config": {"device": "cuda"}}
    path = any_api.post("/train", json=body).headers["location"]
    job = any_api.get(path).json()
    assert job["queue"] == "gpu"
    assert job["waiting_reason"].startswith("No running worker serves the queue 'gpu'")
    any_api.delete(path)
    assert any_api.get(path).json()["waiting_reason"] is None


def test_readiness_names_the_workers(any_api: TestClient) -> None:
    assert any_api.get("/readyz").json() == {"status": "ok", "workers": []}
    show(any_api.app.state.database, "a", ["cpu"], 2)  # type: ignore[attr-defined]  # ASGI app
    (worker,) = any_api.get("/readyz").json()["workers"]
    assert (worker["queues"], worker["device"], worker["concurrency"]) == (["cpu"], "cpu", 2)
