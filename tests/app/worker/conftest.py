"""A database with a small grid, and workers with short leases."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from app.jobs import service
from app.storage.db import Database
from app.storage.migration import upgrade
from app.storage.tables import CheckpointRow, JobRow
from tests.app.worker.small_grid import enqueue_on, store_small_grid
from tests.processes import Program, running, wait_for

QUICK = {
    "lease_seconds": "2",
    "heartbeat_seconds": "0.4",
    "poll_seconds": "0.1",
    "checkpoint_seconds": "0",
}
LONG = {"epochs": 100_000, "patience": None}
"""A job that does not end during a test."""


@dataclass
class Bench:
    """One database, its only grid, and the workers that a test starts."""

    database: Database
    settings: dict[str, str]
    folder: Path
    graph_id: str
    stack: ExitStack = field(default_factory=ExitStack)

    def enqueue(self, **config: Any) -> str:
        """Queue a job on the small grid."""
        return enqueue_on(self.database, self.graph_id, **config)

    def start_worker(self, *options: str, **settings: str) -> Program:
        """Start a worker process that ends with the test."""
        given = QUICK | self.settings | settings
        return self.stack.enter_context(running(["worker", *options], given, self.folder))

    def job(self, job_id: str) -> JobRow:
        """Return the job as it is now."""
        with self.database.reading() as session:
            return service.get_job(session, job_id)

    def wait_for_job(self, job_id: str, condition: Callable[[JobRow], bool], what: str) -> JobRow:
        """Wait until the job is as described."""

        def look() -> JobRow | None:
            row = self.job(job_id)
            if row.error is not None and not condition(row):
                pytest.fail(f"{what} did not happen: {row.error}")
            return row if condition(row) else None

        return wait_for(look, what)

    def wait_for_state(self, job_id: str, state: str) -> JobRow:
        """Wait until the job is in a state."""
        return self.wait_for_job(job_id, lambda row: row.state == state, f"state {state}")

    def wait_for_checkpoint(self, job_id: str) -> CheckpointRow:
        """Wait until something could be resumed."""

        def look() -> CheckpointRow | None:
            with self.database.reading() as session:
                return service.find_checkpoint(session, job_id)

        return wait_for(look, "a checkpoint")


def make_bench(url: str, folder: Path, **settings: str) -> Bench:
    """Migrate a database and store the small grid in it."""
    upgrade(url)
    database = Database(url)
    base = {"data_dir": str(folder), "database_url": url} | settings
    return Bench(database, base, folder, store_small_grid(database))


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = make_bench(f"sqlite:///{tmp_path / 'levygrid.db'}", tmp_path)
    with made.stack:
        yield made
    made.database.close()
