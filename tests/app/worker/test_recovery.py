import json
import signal
import sqlite3
import time
from contextlib import closing
from typing import Any

import psutil
import pytest
from sqlalchemy import select

from app.jobs import service
from app.storage.tables import ModelRow, PredictionRow
from tests.app.worker.conftest import LONG, Bench
from tests.processes import Program, wait_for

pytestmark = pytest.mark.long

CONFIG: dict[str, Any] = {"epochs": 150, "patience": None, "seed": 3}


def outcome(bench: Bench, job_id: str) -> tuple[Any, ...]:
    with bench.database.reading() as session:
        model = session.scalars(select(ModelRow).where(ModelRow.job_id == job_id)).one()
        prediction = session.get_one(PredictionRow, model.id)
        return model.sha256, prediction.probabilities, model.curves, model.metrics


def the_trainer(worker: Program) -> psutil.Process:
    (trainer,) = wait_for(lambda: worker.children("app.worker.job_process"), "a trainer")
    return trainer


def freeze(processes: list[psutil.Process], bench: Bench) -> bool:
    """Suspend processes, unless one holds the lock of the database just now."""
    for process in processes:
        process.suspend()
    with closing(sqlite3.connect(bench.folder / "levygrid.db", timeout=0.5)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            for process in processes:
                process.resume()
            return False
    return True


def test_the_job_of_a_killed_worker_is_resumed_with_a_bit_equal_result(bench: Bench) -> None:
    config = CONFIG | {"epochs": 400}  # with a checkpoint each: it lasts until the kill
    broken = bench.enqueue(**config)
    first = bench.start_worker()
    bench.wait_for_checkpoint(broken)
    first.send(signal.SIGKILL)
    wait_for(lambda: not first.survivors(), "the end of the trainer")
    assert bench.job(broken).state == "running"
    lost_at = bench.job(broken).progress["epoch"]

    bench.start_worker(checkpoint_seconds="3600")
    row = bench.wait_for_state(broken, "succeeded")
    assert row.attempt == 2
    assert 0 < lost_at < config["epochs"]
    assert row.progress["curves"]["epoch"] == list(range(1, config["epochs"] + 1))

    whole = bench.enqueue(**config)
    bench.wait_for_state(whole, "succeeded")
    assert outcome(bench, broken) == outcome(bench, whole)


def test_a_stopped_worker_hands_its_job_back_with_a_checkpoint(bench: Bench) -> None:
    job_id = bench.enqueue(**LONG)
    worker = bench.start_worker(checkpoint_seconds="3600")
    bench.wait_for_job(job_id, lambda row: row.progress.get("epoch", 0) > 0, "an epoch")
    worker.send(signal.SIGTERM)
    assert worker.wait() == 0
    assert not worker.survivors()
    row = bench.job(job_id)
    assert (row.state, row.owner, row.handed_back) == ("queued", None, 1)
    assert bench.wait_for_checkpoint(job_id).epoch >= row.progress["epoch"]


def test_a_process_that_is_stopped_before_its_worker_costs_no_attempt(bench: Bench) -> None:
    job_id = bench.enqueue(**LONG)
    worker = bench.start_worker(lease_seconds="600")
    bench.wait_for_checkpoint(job_id)
    the_trainer(worker).terminate()
    row = bench.wait_for_job(job_id, lambda row: row.attempt == 2, "the second attempt")
    assert row.handed_back == 1


def test_a_running_job_is_cancelled_and_its_trainer_ends(bench: Bench) -> None:
    job_id = bench.enqueue(**LONG)
    worker = bench.start_worker()
    bench.wait_for_job(job_id, lambda row: row.progress.get("epoch", 0) > 0, "an epoch")
    trainer = the_trainer(worker)
    with bench.database.writing() as session:
        service.cancel_job(session, job_id)
    row = bench.wait_for_state(job_id, "cancelled")
    assert row.finished_at is not None
    wait_for(lambda: not trainer.is_running(), "the end of the trainer")
    assert worker.children("app.worker.job_process") == []


def test_a_job_is_resumed_after_its_process_crashed(bench: Bench) -> None:
    job_id = bench.enqueue(**CONFIG)
    worker = bench.start_worker(lease_seconds="600")
    bench.wait_for_checkpoint(job_id)
    the_trainer(worker).kill()
    row = bench.wait_for_state(job_id, "succeeded")
    assert row.attempt == 2


def test_a_job_that_crashes_every_time_fails_with_the_reason(bench: Bench) -> None:
    job_id = bench.enqueue(**LONG)
    worker = bench.start_worker(max_attempts="1")
    the_trainer(worker).kill()
    row = bench.wait_for_state(job_id, "failed")
    assert row.error is not None
    assert row.error["type"] == "/problems/trainer-crashed"
    assert "SIGKILL" in row.error["detail"]


def test_a_paused_worker_that_continues_after_its_lease_changes_nothing(bench: Bench) -> None:
    job_id = bench.enqueue(**CONFIG)
    zombie = bench.start_worker()
    bench.wait_for_checkpoint(job_id)
    frozen = [psutil.Process(zombie.pid), the_trainer(zombie)]
    wait_for(lambda: freeze(frozen, bench), "a moment outside of transactions")
    time.sleep(2.1)  # the lease
    bench.start_worker()
    done = bench.wait_for_state(job_id, "succeeded")
    result = outcome(bench, job_id)
    for process in reversed(frozen):
        process.resume()
    wait_for(lambda: zombie.children("app.worker.job_process") == [], "the end of the zombie")
    after = bench.job(job_id)
    assert (after.state, after.attempt, after.result) == ("succeeded", 2, done.result)
    assert outcome(bench, job_id) == result


def test_a_job_over_its_time_fails_with_the_reason(bench: Bench) -> None:
    job_id = bench.enqueue(**LONG)
    worker = bench.start_worker(job_seconds="0.5")
    row = bench.wait_for_state(job_id, "failed")
    assert row.error is not None
    assert row.error["type"] == "/problems/time-limit"
    assert worker.children("app.worker.job_process") == []


def test_a_job_over_its_memory_fails_with_the_reason(bench: Bench) -> None:
    job_id = bench.enqueue(epochs=5)
    bench.start_worker(job_memory_bytes=str(400 * 2**20))
    row = bench.wait_for_state(job_id, "failed")
    assert row.error is not None
    assert row.error["type"] == "/problems/out-of-memory"
    assert "LEVYGRID_JOB_MEMORY_BYTES" in row.error["detail"]
    assert row.attempt == 1


def test_a_job_that_would_not_fit_is_refused_without_a_traceback(bench: Bench) -> None:
    job_id = bench.enqueue(width=4096, layers=16, branches=64)
    worker = bench.start_worker(job_memory_bytes=str(2**31))
    row = bench.wait_for_state(job_id, "failed")
    assert row.error is not None
    assert "was not started" in row.error["detail"]
    (line,) = [line for line in worker.output.splitlines() if "job refused" in line]
    assert json.loads(line)["level"] == "warning"
    assert "Traceback" not in worker.output


def test_a_job_killed_by_its_memory_limit_names_the_limit(bench: Bench) -> None:
    job_id = bench.enqueue(method="mlp", epochs=5)  # which is not estimated before it starts
    bench.start_worker(job_memory_bytes=str(200 * 2**20))
    row = bench.wait_for_state(job_id, "failed")
    assert row.error is not None
    assert row.error["type"] == "/problems/out-of-memory"
    assert "0.21 GB (209715200 bytes)" in row.error["detail"]
    assert "LEVYGRID_JOB_MEMORY_BYTES" in row.error["detail"]


def test_a_process_that_crashes_under_a_memory_limit_names_the_limit(bench: Bench) -> None:
    job_id = bench.enqueue(**LONG)
    worker = bench.start_worker(job_memory_bytes="2000000000", max_attempts="1")
    the_trainer(worker).send_signal(signal.SIGSEGV)
    row = bench.wait_for_state(job_id, "failed")
    assert row.error is not None
    assert row.error["type"] == "/problems/trainer-crashed"
    assert "LEVYGRID_JOB_MEMORY_BYTES is 2000000000" in row.error["detail"]


def test_a_limit_well_above_the_estimate_lets_a_job_succeed(bench: Bench) -> None:
    job_id = bench.enqueue(epochs=5)
    bench.start_worker(job_memory_bytes=str(10**9))
    assert bench.wait_for_state(job_id, "succeeded").error is None


def test_a_job_that_cannot_be_trained_fails_with_the_reason(bench: Bench) -> None:
    job_id = bench.enqueue(device="cuda", epochs=5)
    bench.start_worker("--queue", "gpu")
    row = bench.wait_for_state(job_id, "failed")
    assert row.error is not None
    assert row.error["type"] == "/problems/device-unavailable"
