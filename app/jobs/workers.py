"""The running workers, and the reason why a queued job is still waiting."""

from collections.abc import Sequence

from sqlalchemy.orm import Session

from app.jobs.queues import Queue
from app.jobs.repository import jobs as job_repository
from app.jobs.repository import workers as repository
from app.jobs.states import JobState
from app.storage.db import current_time
from app.storage.tables import JobRow, WorkerRow

_HOW_TO_START = {
    Queue.CPU: "Start one with `levygrid worker`.",
    Queue.GPU: "Start one with `levygrid worker --queue gpu` on a machine with CUDA.",
}


def record_heartbeat(session: Session, row: WorkerRow, lease_seconds: float) -> None:
    """Store the heartbeat of a worker; delete workers silent for twice ``lease_seconds``."""
    now = current_time(session)
    repository.delete_silent_workers(session, now, 2 * lease_seconds)
    repository.store_heartbeat(session, row, now)


def remove_worker(session: Session, name: str) -> None:
    """Delete the row of a worker that stops."""
    repository.delete_worker(session, name)


def list_workers(session: Session, lease_seconds: float) -> Sequence[WorkerRow]:
    """Return the workers with a heartbeat in the last ``lease_seconds``."""
    return repository.list_workers(session, current_time(session), lease_seconds)


def count_slots(session: Session, host: str, lease_seconds: float) -> int:
    """Return how many jobs the workers of a host run at the same time."""
    return sum(row.concurrency for row in list_workers(session, lease_seconds) if row.host == host)


def explain_wait(session: Session, job: JobRow, lease_seconds: float) -> str | None:
    """Return why a queued job is waiting; None for a job in any other state."""
    if job.state != JobState.QUEUED:
        return None
    if not any(job.queue in row.queues for row in list_workers(session, lease_seconds)):
        queue = Queue(job.queue)
        return f"No running worker serves the queue {queue.value!r}. {_HOW_TO_START[queue]}"
    ahead = job_repository.count_jobs_ahead(session, job)
    if ahead == 0:
        return "The next free worker takes it."
    return f"{ahead} {'job is' if ahead == 1 else 'jobs are'} ahead of it."
