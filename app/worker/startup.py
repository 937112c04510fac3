"""How a worker begins: what it was asked to do becomes what it will do on this machine."""

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
class WorkOrder:
    """What a worker is asked to do: so many jobs at once, of one queue or of all it can."""

    concurrency: int = 1
    queue: Queue | None = None


def open_worker(
    settings: Settings, dispatcher: Dispatcher, order: WorkOrder, stop: threading.Event
) -> WorkerContext:
    """Warm up and return a worker that may claim jobs. Raises: StartFailed without its GPU."""
    database = Database(settings.resolved_database_url)

    def is_idle(device: str) -> bool:
        queues = choose_queues(order.queue, device)
        try:
            with database.reading() as session:
                return not service.has_work(session, queues)
        except DATABASE_AWAY:  # until it is back no job can be claimed
            return True

    device = warm_up(settings, stop, is_idle)
    return WorkerContext(
        settings=settings,
        database=database,
        dispatcher=dispatcher,
        concurrency=order.concurrency,
        queues=choose_queues(order.queue, device),
        device=device,
        stop=stop,
    )


def choose_queues(asked: Queue | None, device: str) -> tuple[Queue, ...]:
    """Return the queues that a worker serves. Raises: StartFailed if it has not the device."""
    if asked is Queue.GPU and device == CPU:
        raise StartFailed("This machine has no CUDA device that torch can use.")
    if asked is not None:
        return (asked,)
    return EVERY_QUEUE if device == CUDA else (Queue.CPU,)
