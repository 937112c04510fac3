"""Starts a worker: finds its device, chooses its queues, opens the database."""

import threading
from dataclasses import dataclass

from app.errors import StartFailed
from app.jobs import service
from app.jobs.dispatch import Dispatcher
from app.jobs.queues import EVERY_QUEUE, Queue
from app.settings import Settings
from app.storage.db import Database
from app.storage.retry import DATABASE_AWAY
from app.worker.context import WorkerContext
from app.worker.warm_up import CPU, CUDA, warm_up


@dataclass(frozen=True)
class WorkerOptions:
    """Command-line options of a worker. ``queue`` None: every queue this machine can serve."""

    concurrency: int = 1
    queue: Queue | None = None


def open_worker(
    settings: Settings, dispatcher: Dispatcher, options: WorkerOptions, stop: threading.Event
) -> WorkerContext:
    """Warm up and return a worker that may claim jobs. Raises: StartFailed if a GPU is missing."""
    database = Database(settings.resolved_database_url)

    def is_idle(device: str) -> bool:
        queues = choose_queues(options.queue, device)
        try:
            with database.reading() as session:
                return not service.has_work(session, queues)
        except DATABASE_AWAY:  # no job can be claimed until it is back
            return True

    device = warm_up(settings, stop, is_idle)
    return WorkerContext(
        settings=settings,
        database=database,
        dispatcher=dispatcher,
        concurrency=options.concurrency,
        queues=choose_queues(options.queue, device),
        device=device,
        stop=stop,
    )


def choose_queues(requested: Queue | None, device: str) -> tuple[Queue, ...]:
    """Return the queues that a worker serves. Raises: StartFailed if the device is missing."""
    if requested is Queue.GPU and device == CPU:
        raise StartFailed("--queue gpu needs a CUDA device, and torch finds none on this machine.")
    if requested is not None:
        return (requested,)
    return EVERY_QUEUE if device == CUDA else (Queue.CPU,)
