"""The events of a job as they are stored: complete, in order, and resumable."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from app.errors import TooManyStreams
from app.jobs import service
from app.jobs.repository.jobs import list_events
from app.jobs.service import Origin
from app.jobs.states import Claim, LeaseTerms
from app.jobs.streams import JobStreams
from app.settings import Settings
from app.storage.db import Database
from app.storage.documents import Curves, JobProgress
from app.storage.tables import JobEventRow
from tests.app.conftest import MakeApi
from tests.app.renamed_table import renamed_jobs_table
from tests.app.samples import post_graph, ring
from tests.app.server_sent_events import Event, parse_events
from tests.processes import wait_for

TERMS = LeaseTerms("worker", seconds=60, max_attempts=3)


def enqueue(database: Database) -> str:
    with database.writing() as session:
        return service.enqueue(session, "train", {"label": "role"}, Origin()).id


def claim(database: Database) -> Claim:
    with database.writing() as session:
        row = service.claim_next(session, TERMS)
    assert row is not None
    return Claim(row.id, row.attempt)


def report(database: Database, held: Claim, epoch: int) -> None:
    curves: Curves = {"epoch": list(range(epoch))}
    with database.writing() as session:
        progress: JobProgress = {"epoch": epoch, "train_loss": 1 / epoch, "curves": curves}
        service.report_progress(session, held, progress)


def stored(database: Database, job_id: str, after: int = 0) -> list[tuple[int, str, Any]]:
    with database.reading() as session:
        rows = list_events(session, job_id, after, 1000)
        return [(row.sequence, row.kind, row.data) for row in rows]


def finish(database: Database, held: Claim) -> None:
    with database.writing() as session:
        service.finish_succeeded(session, held, {"model_id": "m"})


def test_the_events_of_a_job_are_in_order(database: Database) -> None:
    job_id = enqueue(database)
    held = claim(database)
    report(database, held, 5)
    with database.writing() as session:
        service.cancel_job(session, job_id)
        service.finish_cancelled(session, held)
    assert stored(database, job_id) == [
        (1, "state", {"state": "queued", "attempt": 0, "cancel_requested": False}),
        (2, "state", {"state": "running", "attempt": 1, "cancel_requested": False}),
        (3, "progress", {"epoch": 5, "train_loss": 0.2}),
        (4, "state", {"state": "running", "attempt": 1, "cancel_requested": True}),
        (5, "end", {"state": "cancelled", "result": None, "error": None}),
    ]


def test_heartbeats_and_checkpoints_create_no_events(database: Database) -> None:
    job_id = enqueue(database)
    held = claim(database)
    with database.writing() as session:
        service.renew_lease(session, held, 60)
        service.save_checkpoint(session, held, 1, b"state")
    assert len(stored(database, job_id)) == 2


def test_a_change_that_is_rolled_back_leaves_no_event(database: Database) -> None:
    job_id = enqueue(database)
    held = claim(database)

    def fail() -> None:
        with database.writing() as session:
            service.report_progress(session, held, {"epoch": 1})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    report(database, held, 2)
    assert [number for number, _, _ in stored(database, job_id)] == [1, 2, 3]


def test_event_numbers_have_no_gaps_under_concurrent_writes(database: Database) -> None:
    job_id = enqueue(database)
    held = claim(database)

    def write() -> None:
        for epoch in range(1, 11):
            report(database, held, epoch)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [number for number, _, _ in stored(database, job_id)] == list(range(1, 43))


def test_events_are_deleted_with_their_job(database: Database) -> None:
    from sqlalchemy import delete

    from app.storage.tables import JobRow

    job_id = enqueue(database)
    with database.writing() as session:
        session.execute(delete(JobRow).where(JobRow.id == job_id))
    with database.reading() as session:
        assert session.scalars(select(JobEventRow)).all() == []


async def next_text(stream: AsyncIterator[str]) -> str:
    return await asyncio.wait_for(anext(stream), 60)


async def next_event(stream: AsyncIterator[str]) -> Event:
    (event,) = parse_events(await next_text(stream))
    return event


def test_a_waiting_stream_receives_new_events(database: Database) -> None:
    job_id = enqueue(database)

    async def watch() -> list[int]:
        streams = JobStreams(database, most=1)
        stream = streams.follow(streams.open(job_id, 0))
        assert (await next_text(stream)).startswith("retry:")
        seen = [(await next_event(stream)).number]
        held = await asyncio.to_thread(claim, database)
        seen.append((await next_event(stream)).number)
        await asyncio.to_thread(finish, database, held)
        seen.append((await next_event(stream)).number)
        assert [text async for text in stream] == []
        return seen

    assert asyncio.run(watch()) == [1, 2, 3]


def test_streams_recover_after_an_unexpected_error(database: Database) -> None:
    job_id = enqueue(database)

    async def watch() -> int:
        streams = JobStreams(database, most=1)
        stream = streams.follow(streams.open(job_id, 1))
        await next_text(stream)
        following = asyncio.create_task(next_event(stream))
        await asyncio.sleep(0.1)  # it has read and waits
        with renamed_jobs_table(database):
            await asyncio.sleep(1)
        await asyncio.to_thread(claim, database)
        return (await following).number

    assert asyncio.run(watch()) == 2


def test_an_idle_stream_sends_comments(database: Database) -> None:
    job_id = enqueue(database)

    async def watch() -> str:
        streams = JobStreams(database, most=1, heartbeat_seconds=0.05)
        stream = streams.follow(streams.open(job_id, 1))
        await next_text(stream)
        return await next_text(stream)

    text = asyncio.run(watch())
    assert text.startswith(":")
    assert parse_events(text) == []


def test_an_idle_stream_holds_no_connection(database: Database) -> None:
    job_id = enqueue(database)

    async def watch() -> None:
        streams = JobStreams(database, most=50, heartbeat_seconds=0.05)
        open_streams = [streams.follow(streams.open(job_id, 1)) for _ in range(50)]
        for stream in open_streams:
            await next_text(stream)
            await next_text(stream)
        streams.end_all()

    asyncio.run(watch())
    # A query that has begun may still return its connection.
    wait_for(
        lambda: "Current Checked out connections: 0" in database.engine.pool.status(),
        "every connection to be returned",
    )


def test_the_number_of_open_streams_is_limited(database: Database) -> None:
    job_id = enqueue(database)

    async def watch() -> None:
        streams = JobStreams(database, most=1)
        first = streams.open(job_id, 0)
        with pytest.raises(TooManyStreams):
            streams.open(job_id, 0)
        streams.close(first)
        streams.open(job_id, 0)

    asyncio.run(watch())


def test_streams_end_when_the_service_stops(database: Database) -> None:
    job_id = enqueue(database)

    async def watch() -> list[str]:
        streams = JobStreams(database, most=1)
        stream = streams.follow(streams.open(job_id, 1))
        await next_text(stream)
        asyncio.get_running_loop().call_later(0.05, streams.end_all)
        return [text async for text in stream]

    assert asyncio.run(watch()) == []


def test_the_stream_of_an_ended_job_sends_all_events_and_then_204(any_api: TestClient) -> None:
    answer = any_api.post("/train", json={"graph_id": post_graph(any_api, ring(30))})
    path = answer.headers["location"]
    any_api.delete(path)
    told = any_api.get(f"{path}/events")
    assert told.status_code == 200
    assert told.headers["content-type"].startswith("text/event-stream")
    assert told.headers["cache-control"] == "no-store"
    events = parse_events(told.text)
    assert [(event.number, event.kind) for event in events] == [(1, "state"), (2, "end")]
    rest = any_api.get(f"{path}/events", headers={"Last-Event-ID": "1"})
    assert parse_events(rest.text) == events[1:]
    assert any_api.get(f"{path}/events", headers={"Last-Event-ID": "2"}).status_code == 204


def test_an_unknown_job_has_no_events(api: TestClient) -> None:
    assert api.get("/jobs/nothing/events").status_code == 404


@pytest.mark.parametrize("number", ["-1", "x", "1.5", str(2**31)])
def test_an_invalid_last_event_id_is_refused(api: TestClient, number: str) -> None:
    answer = api.get("/jobs/nothing/events", headers={"Last-Event-ID": number})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["where"] == "header.Last-Event-ID"


def test_a_stream_beyond_the_limit_is_a_problem(
    make_api: MakeApi, sqlite_settings: Settings
) -> None:
    api = make_api(sqlite_settings.model_copy(update={"event_streams": 0}))
    answer = api.post("/train", json={"graph_id": post_graph(api, ring(30))})
    refused = api.get(f"{answer.headers['location']}/events")
    assert refused.status_code == 503
    assert refused.json()["type"] == "/problems/too-many-streams"


def test_the_description_shows_a_stream(api: TestClient) -> None:
    operation = api.get("/openapi.json").json()["paths"]["/jobs/{job_id}/events"]["get"]
    (header,) = [one for one in operation["parameters"] if one["in"] == "header"]
    assert header["name"] == "Last-Event-ID"
    content = operation["responses"]["200"]["content"]
    assert list(content) == ["text/event-stream"]
    shown = parse_events(content["text/event-stream"]["example"])
    assert [event.kind for event in shown] == ["state", "state", "progress", "end"]
    assert all(json.dumps(event.data) for event in shown)
