"""Which workers there are, and why a job waits for one."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, func, or_, select, tuple_
from sqlalchemy.orm import Session

from app.jobs.queues import Queue
from app.jobs.states import JobState
from app.storage.db import current_time
from app.storage.tables import JobRow, WorkerRow

_HOW_TO_START = {
    Queue.CPU: "start one with `levygrid worker`",
    Queue.GPU: "start one with `levygrid worker --queue gpu` on a machine with CUDA",
}


def show_presence(session: Session, row: WorkerRow, patience: float) -> None:
    """Say that a worker lives, and forget those not heard of for twice ``patience`` seconds."""
    now = current_time(session)
    session.execute(delete(WorkerRow).where(_silent(now, 2 * patience)))
    session.merge(
        WorkerRow(
            name=row.name,
            host=row.host,
            queues=row.queues,
            device=row.device,
            concurrency=row.concurrency,
            heartbeat_at=now,
        )
    )


def forget_worker(session: Session, name: str) -> None:
    """Take a worker that stops off the list."""
    session.execute(delete(WorkerRow).where(WorkerRow.name == name))


def list_workers(session: Session, patience: float) -> Sequence[WorkerRow]:
    """Return the workers that were heard of within ``patience`` seconds."""
    living = ~_silent(current_time(session), patience)
    return session.scalars(select(WorkerRow).where(living).order_by(WorkerRow.name)).all()


def count_slots(session: Session, host: str, patience: float) -> int:
    """Return how many jobs the workers of a host run at the same time."""
    return sum(row.concurrency for row in list_workers(session, patience) if row.host == host)


def explain_wait(session: Session, job: JobRow, patience: float) -> str | None:
    """Say what a queued job waits for; None of any other job."""
    if job.state != JobState.QUEUED:
        return None
    if not any(job.queue in row.queues for row in list_workers(session, patience)):
        how = _HOW_TO_START[Queue(job.queue)]
        return f"No worker of the queue {job.queue!r} is running; {how}."
    ahead = _count_ahead(session, job)
    if ahead == 0:
        return "The next free worker takes it."
    return f"{ahead} {'job is' if ahead == 1 else 'jobs are'} ahead of it."


def _count_ahead(session: Session, job: JobRow) -> int:
    older = tuple_(JobRow.created_at, JobRow.id) < (job.created_at, job.id)
    first = or_(JobRow.priority > job.priority, (JobRow.priority == job.priority) & older)
    waiting = [JobRow.state == JobState.QUEUED, JobRow.queue == job.queue, first]
    return session.scalar(select(func.count()).select_from(JobRow).where(*waiting)) or 0


def _silent(now: datetime, seconds: float) -> ColumnElement[bool]:
    return WorkerRow.heartbeat_at < now - timedelta(seconds=seconds)
