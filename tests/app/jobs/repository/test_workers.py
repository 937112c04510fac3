from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from app.jobs.repository import workers
from app.storage.db import Database
from app.storage.tables import WorkerRow

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def registered(database: Database) -> Iterator[Database]:
    """A database with the workers "a" and "b" with heartbeats 10 and 100 seconds before NOW."""
    with database.writing() as session:
        for name, seconds in (("a", 10), ("b", 100)):
            row = WorkerRow(name=name, host="h", queues=["cpu"], device="cpu", concurrency=1)
            workers.store_heartbeat(session, row, NOW - timedelta(seconds=seconds))
    yield database
    with database.writing() as session:
        workers.delete_silent_workers(session, NOW, -1)


def names(database: Database, seconds: float) -> list[str]:
    with database.reading() as session:
        return [row.name for row in workers.list_workers(session, NOW, seconds)]


@pytest.mark.parametrize(("seconds", "listed"), [(5, []), (30, ["a"]), (200, ["a", "b"])])
def test_only_workers_with_a_recent_heartbeat_are_listed(
    registered: Database, seconds: float, listed: list[str]
) -> None:
    assert names(registered, seconds) == listed


def test_silent_workers_are_deleted(registered: Database) -> None:
    with registered.writing() as session:
        workers.delete_silent_workers(session, NOW, 30)
    assert names(registered, 200) == ["a"]


def test_a_second_heartbeat_updates_the_row(registered: Database) -> None:
    row = WorkerRow(name="b", host="h", queues=["cpu", "gpu"], device="cuda", concurrency=2)
    with registered.writing() as session:
        workers.store_heartbeat(session, row, NOW)
    assert names(registered, 5) == ["b"]
    assert names(registered, 200) == ["a", "b"]


def test_one_worker_is_deleted_by_name(registered: Database) -> None:
    with registered.writing() as session:
        workers.delete_worker(session, "a")
    assert names(registered, 200) == ["b"]
