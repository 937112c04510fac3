"""Starts an API on the database of a worker and follows jobs over HTTP."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from tests.app.worker.conftest import Bench, make_bench
from tests.processes import wait_for


def api_on(bench: Bench) -> TestClient:
    """Return the API on the database of a bench."""
    return TestClient(create_app(Settings(**bench.settings)))  # type: ignore[arg-type]


@contextmanager
def serving(folder: Path) -> Iterator[tuple[TestClient, Bench]]:
    """Yield the API on a database of its own, with a worker that has time for baselines."""
    bench = make_bench(f"sqlite:///{folder / 'levygrid.db'}", folder)
    with bench.stack, api_on(bench) as api:
        bench.start_worker(baseline_seconds="600")
        yield api, bench
    bench.database.close()


def follow(api: TestClient, accepted: httpx2.Response) -> dict[str, Any]:
    """Wait for the job that a request has made to succeed, and return it."""
    assert accepted.status_code == 202, accepted.text

    def look() -> dict[str, Any] | None:
        job: dict[str, Any] = api.get(accepted.headers["location"]).json()
        return job if job["state"] in {"succeeded", "failed"} else None

    job = wait_for(look, "the end of the job")
    assert job["state"] == "succeeded", job
    return job
