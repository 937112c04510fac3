"""One attempt of a job inside its own process: run the task, store how it ended."""

import threading
from importlib import import_module

import structlog

from app.errors import JobFailed, LeaseLost
from app.http.problems import describe_failure
from app.jobs import service
from app.jobs.handle import JobDesk
from app.jobs.states import Claim
from app.logs import configure_logs
from app.settings import Settings
from app.storage.db import Database
from app.storage.retry import read_patiently, write_patiently
from app.worker.failures import check_start, recognise_failure
from app.worker.process import limit_memory
from app.worker.run import HANDED_BACK
from ml.compute.allocator import keep_freed_memory
from ml.errors import TrainingInterrupted

_TASKS = {"labels": "app.labels.task", "replay": "app.replays.task", "train": "app.train.task"}
"""The module whose ``run`` carries out a kind of job; only that one is imported."""
_log = structlog.get_logger("levygrid.worker")


def carry_out(job_id: str, attempt: int, stop: threading.Event) -> int:
    """Run the task of a job and return the exit code for the worker."""
    settings = Settings()
    configure_logs(settings.log_level)
    database = Database(settings.resolved_database_url)
    claim = Claim(job_id, attempt)
    desk = JobDesk(database, claim, settings.checkpoint_seconds, stop)
    row = read_patiently(database, lambda session: service.get_job(session, job_id))
    try:
        task = import_module(_TASKS[row.kind])
        keep_freed_memory()
        check_start(settings.job_memory_bytes)
        limit_memory(settings.job_memory_bytes)
        task.run(row, desk, settings)
    except TrainingInterrupted as interruption:
        _log.info("checkpoint saved for the next worker", job=job_id, epoch=interruption.epoch)
        return HANDED_BACK
    except LeaseLost as loss:
        _log.warning("stopped, the job is no longer ours", job=job_id, reason=str(loss))
    except Exception as error:  # noqa: BLE001 - whatever it is, the job carries it
        limit_memory(0)  # storing the reason must not fail for the same one
        failure = recognise_failure(error, settings.job_memory_bytes)
        if isinstance(error, JobFailed):  # refused with numbers: where does not matter
            _log.warning("job refused", job=job_id, reason=str(error))
        else:
            _log.error("job failed", job=job_id, reason=str(failure), exc_info=error)
        _store_failure(database, claim, failure)
    return 0


def _store_failure(database: Database, claim: Claim, failure: Exception) -> None:
    try:
        write_patiently(
            database,
            lambda session: service.finish_failed(session, claim, describe_failure(failure)),
        )
    except LeaseLost as loss:
        _log.warning("failure not stored", job=claim.job_id, reason=str(loss))
