"""A worker says that it lives, so that others know who takes which jobs."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog
from sqlalchemy.orm import Session

from app.jobs import workers
from app.storage.retry import DATABASE_AWAY, tell_outage
from app.storage.tables import WorkerRow
from app.worker.context import WorkerContext

_log = structlog.get_logger("levygrid.worker")


@contextmanager
def presence(worker: WorkerContext) -> Iterator[None]:
    """Keep the row of this worker fresh, by a thread of its own, and delete it at the end."""
    left = threading.Event()
    _show(worker)
    thread = threading.Thread(target=_show_until, args=(worker, left), daemon=True)
    thread.start()
    try:
        yield
    finally:
        left.set()
        thread.join()
        _write(worker, lambda session: workers.forget_worker(session, worker.name))


def _show_until(worker: WorkerContext, left: threading.Event) -> None:
    while not left.wait(worker.settings.heartbeat_seconds):
        _show(worker)


def _show(worker: WorkerContext) -> None:
    row = WorkerRow(
        name=worker.name,
        host=worker.host,
        queues=list(worker.queues),
        device=worker.device,
        concurrency=worker.concurrency,
    )
    patience = worker.settings.lease_seconds
    _write(worker, lambda session: workers.show_presence(session, row, patience))


def _write(worker: WorkerContext, operation: Callable[[Session], None]) -> None:
    try:
        with worker.database.writing() as session:
            operation(session)
    except DATABASE_AWAY as error:
        _log.warning("database away", reason=tell_outage(error))
