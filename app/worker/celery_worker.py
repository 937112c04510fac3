"""The worker for several hosts: Celery delivers job ids, a thread reaps lost jobs."""

import threading
from typing import Any

import structlog
from celery import Celery, signals
from kombu.exceptions import OperationalError as BrokerAway

from app.jobs import service
from app.settings import Settings
from app.storage.retry import DATABASE_AWAY
from app.worker.celery_app import QUEUE_NAMES, TASK_NAME, CeleryDispatcher, make_celery
from app.worker.context import WorkerContext
from app.worker.heartbeat import send_heartbeats
from app.worker.run import reap_lost_jobs, run_job
from app.worker.signals import make_setter
from app.worker.startup import WorkerOptions, open_worker

_LONGEST_RETRY_WAIT = 60
_log = structlog.get_logger("levygrid.worker")


def work(settings: Settings, options: WorkerOptions) -> int:
    """Run jobs until SIGTERM or SIGINT, then return running jobs to the queue.

    Raises: StartFailed.
    """
    app = make_celery(settings)
    dispatcher = CeleryDispatcher(app)
    worker = open_worker(settings, dispatcher, options, threading.Event())
    _register(app, worker)
    reaper = threading.Thread(target=_reap_until_stopped, args=(worker, dispatcher), daemon=True)
    _connect_signals(worker, reaper)
    # Threads, not forks: each job runs in a separate process, and a killed worker leaves no forks.
    consumer = app.Worker(
        pool="threads",
        concurrency=worker.concurrency,
        queues=[QUEUE_NAMES[queue] for queue in worker.queues],
        loglevel=settings.log_level,
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    with send_heartbeats(worker):
        consumer.start()
    worker.stop.set()
    worker.database.close()
    return int(consumer.exitcode or 0)


def redispatch_lost_jobs(worker: WorkerContext, dispatcher: CeleryDispatcher) -> int:
    """Resend the ids of jobs that lost their worker or their message; return their number."""
    with worker.database.reading() as session:
        if not service.has_work(session):
            return 0
    empty = dispatcher.find_empty_queues()
    with worker.database.writing() as session:
        rows = service.take_overdue(session, worker.settings.lease_seconds, empty)
    for row in rows:
        _log.warning("job id sent again", job=row.id, state=row.state)
        dispatcher.dispatch(row)
    return len(rows)


def _register(app: Celery, worker: WorkerContext) -> None:
    def deliver(job_id: str) -> None:
        run_job(worker, job_id)

    # No limit on retries: an unreachable database must not empty the broker.
    app.task(
        deliver,
        name=TASK_NAME,
        autoretry_for=DATABASE_AWAY,
        retry_backoff=True,
        retry_backoff_max=_LONGEST_RETRY_WAIT,
        max_retries=None,
    )


def _connect_signals(worker: WorkerContext, reaper: threading.Thread) -> None:
    def start(**_: Any) -> None:
        _log.info("worker started", worker=worker.name, queues=worker.queues)
        reaper.start()

    request_stop = make_setter(worker.stop)

    def stop(**_: Any) -> None:
        request_stop()  # Celery calls this from its signal handler

    def keep_our_logs(**_: Any) -> None:
        """Do nothing: Celery configures no logs if this signal has a receiver."""

    signals.worker_ready.connect(start, weak=False)
    signals.worker_shutting_down.connect(stop, weak=False)
    signals.setup_logging.connect(keep_our_logs, weak=False)


def _reap_until_stopped(worker: WorkerContext, dispatcher: CeleryDispatcher) -> None:
    while not worker.stop.wait(worker.settings.heartbeat_seconds):
        try:
            reap_lost_jobs(worker)
            redispatch_lost_jobs(worker, dispatcher)
        except (*DATABASE_AWAY, BrokerAway) as error:
            _log.warning("reaping postponed", reason=str(error))
        except Exception:  # noqa: BLE001 - the reaper must survive every error
            _log.exception("reaping failed")
