"""Runs a service with workers and measures its jobs."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

import httpx

from app.errors import StartFailed
from app.jobs.states import ENDED
from app.temporary_service import run_temporary_service

_BUSES = 12
_START_SECONDS = 120
_POLL_SECONDS = 0.05


@dataclass(frozen=True)
class JobTimes:
    """The times at which a job was queued, claimed and finished."""

    created: datetime
    started: datetime
    finished: datetime

    @property
    def dispatch_seconds(self) -> float:
        """Seconds from the commit of the job until a worker claims it."""
        return (self.started - self.created).total_seconds()


class JobRig:
    """A running service with a grid so small that its jobs consist of start-up time only."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client
        answer = client.post("/graphs", json=_ring()).raise_for_status()
        self._graph_id: str = answer.json()["id"]

    def run_jobs(self, count: int) -> list[JobTimes]:
        """Queue all jobs at once and wait until every one has succeeded."""
        return [self._wait(place) for place in [self._start() for _ in range(count)]]

    def _start(self) -> str:
        body = {"graph_id": self._graph_id, "baselines": False, "config": {"epochs": 1}}
        place: str = self._client.post("/train", json=body).raise_for_status().headers["location"]
        return place

    def _wait(self, place: str) -> JobTimes:
        while (job := self._client.get(place).json())["state"] not in ENDED:
            time.sleep(_POLL_SECONDS)
        if job["state"] != "succeeded":
            raise RuntimeError(f"A job of the benchmark ended as {job['state']}: {job['error']}")
        moments = (job[name] for name in ("created_at", "started_at", "finished_at"))
        return JobTimes(*map(datetime.fromisoformat, moments))


@contextmanager
def run_rig(workers: int, broker_url: str = "") -> Iterator[JobRig]:
    """Start a service with ``workers`` workers and wait for them. Raises: StartFailed."""
    with (
        run_temporary_service(workers, threads=1, broker_url=broker_url) as address,
        httpx.Client(base_url=address, timeout=60) as client,
    ):
        _wait_for_workers(client, workers)
        yield JobRig(client)


def _wait_for_workers(client: httpx.Client, count: int) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while len(client.get("/readyz").raise_for_status().json()["workers"]) < count:
        if time.monotonic() > deadline:
            raise StartFailed(f"The {count} workers did not start within {_START_SECONDS} seconds.")
        time.sleep(_POLL_SECONDS)


def _ring() -> dict[str, list[dict[str, object]]]:
    positions = range(_BUSES)
    buses: list[dict[str, object]] = [
        {"id": str(bus), "features": {"Pd": float(bus)}, "label": ("even", "odd")[bus % 2]}
        for bus in positions
    ]
    branches: list[dict[str, object]] = [
        {"from": str(bus), "to": str((bus + 1) % _BUSES)} for bus in positions
    ]
    return {"buses": buses, "branches": branches}
