"""What happened to a job, in order: written with the change itself, read by streams.

The sequence number of an event is the count of events that its job has had, raised by the
statement that changes the job: no two events share one, none is missing, and a reader that
sees an event has seen all before it.
"""

from collections.abc import Sequence
from typing import Any, Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.jobs.states import ENDED
from app.storage.tables import JobEventRow, JobRow

EventKind = Literal["state", "progress", "end"]
TOLD = frozenset({"state", "progress", "cancel_requested"})
"""Columns of a job whose changes are events."""


def make_event(job: JobRow, *, progressed: bool) -> JobEventRow:
    """Return the event of the change that a job has just gone through."""
    kind: EventKind = "state"
    data: dict[str, Any] = {"state": job.state}
    if job.state in ENDED:
        kind = "end"
        data |= {"result": job.result, "error": job.error}
    elif progressed:
        kind = "progress"
        data = _figures(job.progress)
    else:
        data |= {"attempt": job.attempt, "cancel_requested": job.cancel_requested}
    return JobEventRow(job_id=job.id, sequence=job.event_count, kind=kind, data=data)


def list_events(session: Session, job_id: str, after: int, limit: int) -> Sequence[JobEventRow]:
    """Return the events of a job that follow the one numbered ``after``, oldest first."""
    query = (
        select(JobEventRow)
        .where(JobEventRow.job_id == job_id, JobEventRow.sequence > after)
        .order_by(JobEventRow.sequence)
        .limit(limit)
    )
    return session.scalars(query).all()


def count_events(session: Session, job_ids: Sequence[str]) -> dict[str, int]:
    """Return how many events each of these jobs has had."""
    query = select(JobRow.id, JobRow.event_count).where(JobRow.id.in_(job_ids))
    return dict(iter(session.execute(query)))


def _figures(progress: dict[str, Any]) -> dict[str, Any]:
    """Leave out curves and tables: ``GET /jobs/{id}`` has them whole."""
    return {name: value for name, value in progress.items() if not isinstance(value, dict | list)}
