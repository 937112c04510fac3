"""How a worker begins: its device, its queues, its share of the cores, its row."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from sqlalchemy import select

from app.errors import StartFailed
from app.jobs.dispatch import PolledTable
from app.jobs.queues import Queue
from app.settings import Settings
from app.storage.db import Database
from app.storage.tables import WorkerRow
from app.worker.context import WorkerContext
from app.worker.startup import choose_queues
from tests.app.worker.conftest import LONG, Bench
from tests.processes import Program, wait_for

CORES = len(os.sched_getaffinity(0))


@pytest.mark.parametrize(
    ("asked", "device", "queues"),
    [
        (None, "cpu", (Queue.CPU,)),
        (None, "cuda", (Queue.CPU, Queue.GPU)),
        (None, "unknown", (Queue.CPU,)),
        (Queue.CPU, "cuda", (Queue.CPU,)),
        (Queue.GPU, "cuda", (Queue.GPU,)),
        (Queue.GPU, "unknown", (Queue.GPU,)),
    ],
)
def test_a_worker_serves_the_requested_queue_or_all_it_can(
    asked: Queue | None, device: str, queues: tuple[Queue, ...]
) -> None:
    assert choose_queues(asked, device) == queues


def test_a_gpu_worker_does_not_start_without_a_gpu() -> None:
    with pytest.raises(StartFailed, match="needs a CUDA device"):
        choose_queues(Queue.GPU, "cpu")


def context(concurrency: int = 1, **settings: int) -> WorkerContext:
    return WorkerContext(
        settings=Settings(**settings),  # type: ignore[arg-type]
        database=Database("sqlite://"),
        dispatcher=PolledTable(),
        concurrency=concurrency,
    )


def test_jobs_of_one_host_share_its_cores() -> None:
    assert context().choose_threads(5000, slots=1) == CORES
    assert context().choose_threads(5000, slots=CORES) == 1
    assert context().choose_threads(5000, slots=10 * CORES) == 1
    assert context(concurrency=CORES).choose_threads(5000, slots=0) == 1


def test_a_small_grid_gets_one_thread_unless_a_setting_overrides_it() -> None:
    assert context().choose_threads(118, slots=1) == 1
    assert context(threads=3).choose_threads(118, slots=1) == 3


def list_workers(bench: Bench) -> list[WorkerRow]:
    with bench.database.reading() as session:
        return list(session.scalars(select(WorkerRow)))


def trainers_of(worker: Program) -> list[psutil.Process]:
    return worker.children("app.worker.job_process")


def check_health(bench: Bench) -> int:
    given = {f"LEVYGRID_{name.upper()}": value for name, value in bench.settings.items()}
    command = [sys.executable, "-m", "app.worker.healthcheck"]
    return subprocess.run(command, env=os.environ | given, check=False).returncode


def test_a_worker_is_listed_while_it_runs_and_runs_jobs_up_to_its_concurrency(bench: Bench) -> None:
    jobs = [bench.enqueue(**LONG) for _ in range(3)]
    worker = bench.start_worker("--concurrency", "2", "--queue", "cpu")
    wait_for(lambda: len(trainers_of(worker)) == 2, "two jobs at once")
    assert [bench.job(job_id).threads for job_id in jobs] == [1, 1, None]
    (row,) = list_workers(bench)
    assert (row.queues, row.device, row.concurrency) == (["cpu"], "unknown", 2)
    assert check_health(bench) == 0
    for trainer in trainers_of(worker):
        environment = trainer.environ()
        assert environment["OMP_NUM_THREADS"] == "1"
        assert environment["CUDA_VISIBLE_DEVICES"] == ""
    worker.send(signal.SIGTERM)
    assert worker.wait() == 0
    assert list_workers(bench) == []
    assert check_health(bench) == 1
    assert [bench.job(job_id).state for job_id in jobs] == ["queued"] * 3


def test_a_worker_detects_its_device_before_its_first_job(bench: Bench) -> None:
    worker = bench.start_worker(warm_up="true")
    (row,) = wait_for(lambda: list_workers(bench), "a worker")
    assert row.device in {"cpu", "cuda"}
    assert "warmed up" in worker.output
    assert not worker.children("app.worker.warm_up")


def test_a_job_does_not_wait_until_everything_is_compiled(bench: Bench) -> None:
    job_id = bench.enqueue(epochs=5)
    worker = bench.start_worker(warm_up="true")
    bench.wait_for_state(job_id, "succeeded")
    assert "complete=False" in worker.output or '"complete": false' in worker.output


@pytest.mark.skipif(Path("/proc/driver/nvidia").exists(), reason="this machine has a GPU")
def test_a_gpu_worker_without_a_gpu_reports_the_reason(bench: Bench) -> None:
    worker = bench.start_worker("--queue", "gpu", warm_up="true")
    assert worker.wait() == 1
    assert "needs a CUDA device" in worker.output
    assert not worker.survivors()
