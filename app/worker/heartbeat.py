"""Keeps the row of a worker in the ``workers`` table fresh while the worker runs."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog
from sqlalchemy.orm import Session

from app.jobs import workers
from app.storage.retry import DATABASE_AWAY, describe_outage
from app.storage.tables import WorkerRow
from app.worker.context import WorkerContext

_log = structlog.get_logger("levygrid.worker")


@contextmanager
def send_heartbeats(worker: WorkerContext) -> Iterator[None]:
    """Register the worker, renew its heartbeat in a thread, and remove it at the end."""
    stop = threading.Event()
    _send_heartbeat(worker)
    thread = threading.Thread(target=_send_until, args=(worker, stop), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        _write(worker, lambda session: workers.remove_worker(session, worker.name))


def _send_until(worker: WorkerContext, stop: threading.Event) -> None:
    while not stop.wait(worker.settings.heartbeat_seconds):
        _send_heartbeat(worker)


def _send_heartbeat(worker: WorkerContext) -> None:
    row = WorkerRow(
        name=worker.name,
        host=worker.host,
        queues=list(worker.queues),
        device=worker.device,
        concurrency=worker.concurrency,
    )
    lease_seconds = worker.settings.lease_seconds
    _write(worker, lambda session: workers.record_heartbeat(session, row, lease_seconds))


def _write(worker: WorkerContext, operation: Callable[[Session], None]) -> None:
    try:
        with worker.database.writing() as session:
            operation(session)
    except DATABASE_AWAY as error:
        _log.warning("database unreachable", reason=describe_outage(error))
