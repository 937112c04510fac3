"""The embedded worker: a process that polls the jobs table and also reaps lost jobs."""

import signal
import sys
import threading

import structlog
from tenacity import RetryCallState, Retrying, sleep_using_event, stop_when_event_set

from app.jobs.dispatch import PolledTable
from app.logs import configure_logs
from app.settings import Settings
from app.storage.retry import BACK_OFF, DATABASE_AWAY, describe_outage
from app.worker.context import WorkerContext
from app.worker.heartbeat import send_heartbeats
from app.worker.run import reap_lost_jobs, run_next
from app.worker.signals import stop_on_signals
from app.worker.startup import WorkerOptions, open_worker
from ml import die_with_parent

_log = structlog.get_logger("levygrid.worker")


def work(settings: Settings, options: WorkerOptions) -> int:
    """Run jobs until SIGTERM or SIGINT, then return running jobs to the queue.

    Raises: StartFailed.
    """
    stop = threading.Event()
    stop_on_signals(stop, signal.SIGTERM, signal.SIGINT)
    worker = open_worker(settings, PolledTable(), options, stop)
    with send_heartbeats(worker):
        _log.info("worker started", worker=worker.name, queues=worker.queues)
        _poll_in_threads(worker)
    worker.database.close()
    _log.info("worker stopped", worker=worker.name)
    return 0


def _poll_in_threads(worker: WorkerContext) -> None:
    """Poll in one thread per job that may run at the same time."""
    others = [
        threading.Thread(target=poll_until_stopped, args=(worker,))
        for _ in range(worker.concurrency - 1)
    ]
    for other in others:
        other.start()
    poll_until_stopped(worker)
    for other in others:
        other.join()


def poll_until_stopped(worker: WorkerContext) -> None:
    """Run jobs one after the other; wait while there are none.

    Every error is logged and retried: a thread that ended would leave its slot empty.
    """
    retrying = Retrying(
        wait=BACK_OFF,
        sleep=sleep_using_event(worker.stop),
        stop=stop_when_event_set(worker.stop),
        before_sleep=_log_failure,
        retry_error_callback=lambda _state: False,
    )
    while not worker.stop.is_set():
        if not retrying(_poll, worker):
            worker.stop.wait(worker.settings.poll_seconds)


def _poll(worker: WorkerContext) -> bool:
    reap_lost_jobs(worker)
    return run_next(worker)


def _log_failure(state: RetryCallState) -> None:
    error = state.outcome.exception() if state.outcome is not None else None
    if isinstance(error, DATABASE_AWAY):
        _log.warning("database unreachable", reason=describe_outage(error))
    else:
        _log.error("polling failed", exc_info=error)


def main(parent: str) -> int:
    """Run as a child process of ``levygrid serve`` and stop when it ends."""
    die_with_parent(int(parent), signal.SIGTERM)
    settings = Settings()
    configure_logs(settings.log_level)
    return work(settings, WorkerOptions())


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
