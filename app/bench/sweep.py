"""Speed-up of a sweep with two workers over one, with one thread per job."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import httpx

from app.jobs.schemas import JobOut
from app.sweeps.schemas import SweepDetailOut
from app.temporary_service import run_temporary_service

_CASE = "case118"
_JOBS = 6
_JOB_SECONDS = 15.0
_SHORT, _LONG = 100, 1100
"""Epochs of the two jobs that measure the time per epoch on this machine."""
_POLL_SECONDS = 1.0


@dataclass(frozen=True)
class SweepFigures:
    """Duration of one sweep and of its shortest job."""

    workers: int
    jobs: int
    seconds: float
    shortest_job_seconds: float


def run(jobs: int = _JOBS, job_seconds: float = _JOB_SECONDS) -> dict[str, Any]:
    """Run the same sweep over seeds with one and two workers; ``ratio`` is the speed-up.

    The number of epochs is chosen so that a job alone takes ``job_seconds``.
    """
    epochs = _choose_epochs(job_seconds)
    rows = [_measure(workers, jobs, epochs) for workers in (1, 2)]
    return {
        "rows": [asdict(row) for row in rows],
        "epochs": epochs,
        "shortest_job_seconds": min(row.shortest_job_seconds for row in rows),
        "ratio": round(rows[0].seconds / rows[1].seconds, 2),
    }


def _choose_epochs(job_seconds: float) -> int:
    with _serve(workers=1) as service:
        short, long = (service.time_jobs(epochs, 1)[1] for epochs in (_SHORT, _LONG))
    epoch_seconds = max(0.5, long - short) / (_LONG - _SHORT)
    start_seconds = short - _SHORT * epoch_seconds
    return max(_SHORT, math.ceil((job_seconds - start_seconds) / epoch_seconds))


def _measure(workers: int, jobs: int, epochs: int) -> SweepFigures:
    with _serve(workers) as service:
        service.time_jobs(1, workers)  # waits for all workers and loads the libraries
        seconds, shortest = service.time_jobs(epochs, jobs)
    return SweepFigures(
        workers=workers,
        jobs=jobs,
        seconds=round(seconds, 2),
        shortest_job_seconds=round(shortest, 2),
    )


@contextmanager
def _serve(workers: int) -> Iterator["_Service"]:
    with (
        run_temporary_service(workers, threads=1) as address,
        httpx.Client(base_url=address, timeout=120) as client,
    ):
        answer = client.post("/graphs", json={"case": _CASE}).raise_for_status()
        yield _Service(client, answer.json()["id"])


@dataclass(frozen=True)
class _Service:
    """A running service and the id of its grid."""

    client: httpx.Client
    graph_id: str

    def time_jobs(self, epochs: int, count: int) -> tuple[float, float]:
        """Run a sweep over seeds; return the seconds of the sweep and of its shortest job."""
        body = {
            "graph_id": self.graph_id,
            "config": {"epochs": epochs, "patience": None},
            "baselines": False,
            "sweep": {"grid": {"epochs": [epochs]}, "seeds": list(range(count))},
        }
        place = self.client.post("/train", json=body).raise_for_status().headers["location"]
        sweep = self._wait(place)
        paths = [f"/jobs/{trial.job_id}" for trial in sweep.results]
        jobs = [JobOut.model_validate(self.client.get(path).json()) for path in paths]
        shortest = min(_seconds_between(job.started_at, job.finished_at) for job in jobs)
        return _seconds_between(sweep.created_at, sweep.finished_at), shortest

    def _wait(self, place: str) -> SweepDetailOut:
        while True:
            answer = self.client.get(place).raise_for_status()
            sweep = SweepDetailOut.model_validate(answer.json())
            if sweep.finished_at is not None:
                return sweep
            time.sleep(_POLL_SECONDS)


def _seconds_between(first: datetime | None, last: datetime | None) -> float:
    if first is None or last is None:
        raise RuntimeError("a job of the sweep was not run")
    return (last - first).total_seconds()
