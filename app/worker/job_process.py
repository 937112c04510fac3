"""The process that runs one attempt of a job: a fresh interpreter that may use torch."""

import signal
import sys
import threading
from importlib import import_module

import structlog

from app.errors import JobFailed, LeaseLost
from app.http.problems import describe_failure
from app.jobs import service
from app.jobs.handle import JobHandle
from app.jobs.states import Claim
from app.logs import configure_logs
from app.settings import Settings
from app.storage.db import Database
from app.storage.retry import read_with_retry, write_with_retry
from app.worker.failures import check_memory_left, recognise_failure
from app.worker.process import HANDED_BACK, limit_memory
from app.worker.signals import stop_on_signals
from ml import die_with_parent, keep_freed_memory
from ml.errors import TrainingInterrupted

_TASKS = {
    "labels": "app.labels.task",
    "replay": "app.replays.task",
    "suitability": "app.labels.task",
    "train": "app.train.task",
}
"""Job kind -> module whose ``run`` executes it; only that module is imported."""
_log = structlog.get_logger("levygrid.worker")


def main(job_id: str, attempt: str, parent: str) -> int:
    """Run one attempt of a job. Its outcome is stored in the jobs table, not in the exit code."""
    die_with_parent(int(parent), signal.SIGKILL)
    stop = threading.Event()
    stop_on_signals(stop, signal.SIGTERM)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return run_attempt(Claim(job_id, int(attempt)), stop)


def run_attempt(claim: Claim, stop: threading.Event) -> int:
    """Run the task of a claimed job and return the exit code for the worker."""
    settings = Settings()
    configure_logs(settings.log_level)
    database = Database(settings.resolved_database_url)
    handle = JobHandle(database, claim, settings.checkpoint_seconds, stop)
    row = read_with_retry(database, lambda session: service.get_job(session, claim.job_id))
    log = _log.bind(job=claim.job_id)
    try:
        task = import_module(_TASKS[row.kind])
        keep_freed_memory()
        check_memory_left(settings.job_memory_bytes)
        limit_memory(settings.job_memory_bytes)
        task.run(row, handle, settings)
    except TrainingInterrupted as interruption:
        log.info("checkpoint saved for the next worker", epoch=interruption.epoch)
        return HANDED_BACK
    except LeaseLost as loss:
        log.warning("stopped because another worker holds the job", reason=str(loss))
    except Exception as error:
        limit_memory(0)  # storing the reason must not run out of memory too
        failure = recognise_failure(error, settings.job_memory_bytes)
        if isinstance(error, JobFailed):  # the message says all; a traceback would add nothing
            log.warning("job refused", reason=str(error))
        else:
            log.exception("job failed", reason=str(failure))
        _store_failure(database, claim, failure)
    return 0


def _store_failure(database: Database, claim: Claim, failure: Exception) -> None:
    problem = describe_failure(failure)
    try:
        write_with_retry(database, lambda session: service.finish_failed(session, claim, problem))
    except LeaseLost as loss:
        _log.warning("failure not stored", job=claim.job_id, reason=str(loss))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
