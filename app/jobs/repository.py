"""Rows of the jobs table; every change of state is one conditional update.

Of two processes that want the same change exactly one gets it, on SQLite and on Postgres.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, and_, case, delete, exists, func, or_, select, update
from sqlalchemy.orm import Session

from app.jobs.events import TOLD, make_event
from app.jobs.states import Claim, JobState, LeaseTerms
from app.storage.paging import fetch_page
from app.storage.tables import CheckpointRow, JobRow, ModelRow

_TRIES = JobRow.attempt - JobRow.handed_back


def find_job(session: Session, job_id: str) -> JobRow | None:
    """Return the job as it is in the database now."""
    return session.get(JobRow, job_id, populate_existing=True)


def insert_job(session: Session, row: JobRow) -> None:
    """Write a new job with its first event."""
    row.event_count = 1
    session.add(row)
    session.flush()
    session.add(make_event(row, progressed=False))


def list_jobs(
    session: Session,
    limit: int,
    cursor: str | None,
    state: JobState | None,
    graph_id: str | None,
) -> tuple[list[JobRow], str | None]:
    """Return a page of jobs, newest first, and the cursor of the next. Raises: CursorInvalid."""
    query = select(JobRow)
    if state is not None:
        query = query.where(JobRow.state == state)
    if graph_id is not None:
        query = query.where(JobRow.graph_id == graph_id)
    return fetch_page(session, query, (JobRow.created_at, JobRow.id), limit, cursor)


def has_work(session: Session, now: datetime, queues: Sequence[str]) -> bool:
    """Tell whether a job of these queues waits or any has lost its worker, without writing."""
    work = or_(_waits_in(queues), _expired(now))
    return bool(session.scalar(select(exists().where(work))))


def claim_job(session: Session, job_id: str, now: datetime, terms: LeaseTerms) -> JobRow | None:
    """Take the named job if it waits or its worker is lost; raises ``attempt``."""
    return _change_one(
        session, [JobRow.id == job_id, _claimable(now, terms)], **_claimed(now, terms)
    )


def claim_next(session: Session, now: datetime, terms: LeaseTerms) -> JobRow | None:
    """Take the first job that waits or whose worker is lost: highest priority, then oldest."""
    first = (
        select(JobRow.id)
        .where(_claimable(now, terms))
        .order_by(JobRow.priority.desc(), JobRow.created_at, JobRow.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    chosen = JobRow.id == first.scalar_subquery()
    return _change_one(session, [chosen, _claimable(now, terms)], **_claimed(now, terms))


def change_held(session: Session, claim: Claim, **values: Any) -> JobRow | None:
    """Change a running job, if the claim still holds; None if it does not."""
    return _change_one(session, _held(claim), **values)


def cancel_queued(session: Session, job_id: str, now: datetime) -> JobRow | None:
    """End a job that still waits; None if it does not."""
    waiting = [JobRow.id == job_id, JobRow.state == JobState.QUEUED]
    values = _ended(JobState.CANCELLED, now) | {"cancel_requested": True}
    return _change_one(session, waiting, **values)


def request_cancel(session: Session, job_id: str) -> JobRow | None:
    """Ask the worker of a running job to stop; None if the job does not run."""
    running = [JobRow.id == job_id, JobRow.state == JobState.RUNNING]
    return _change_one(session, running, cancel_requested=True)


def cancel_all(session: Session, job_ids: Sequence[str], now: datetime) -> Sequence[JobRow]:
    """End those that wait and ask the workers of those that run, in one statement.

    One, so that a job handed back meanwhile cannot slip through between two.
    """
    unfinished = JobRow.state.in_([JobState.QUEUED, JobState.RUNNING])
    waiting = JobRow.state == JobState.QUEUED
    return _change_all(
        session,
        [JobRow.id.in_(job_ids), unfinished],
        cancel_requested=True,
        state=case((waiting, JobState.CANCELLED.value), else_=JobRow.state),
        finished_at=case((waiting, now), else_=JobRow.finished_at),
    )


def end_held(
    session: Session, claim: Claim, state: JobState, now: datetime, **values: Any
) -> JobRow | None:
    """End a running job, if the claim still holds; None if it does not."""
    return _change_one(session, _held(claim), **_ended(state, now), **values)


def queue_held(session: Session, claim: Claim, now: datetime, *, counts: bool) -> JobRow | None:
    """Put a running job back into the queue; ``counts`` if it was a failed try.

    One that somebody asked to cancel ends instead, in one statement: the wish may come while
    this waits for the row.
    """
    wanted = JobRow.cancel_requested.is_(True)
    values = {
        "state": case((wanted, JobState.CANCELLED.value), else_=JobState.QUEUED.value),
        "finished_at": case((wanted, now), else_=JobRow.finished_at),
        "owner": None,
        "lease_until": None,
        "dispatched_at": now,
        "handed_back": JobRow.handed_back + (0 if counts else 1),
    }
    return _change_one(session, _held(claim), **values)


def cancel_expired(session: Session, now: datetime) -> Sequence[JobRow]:
    """End jobs that lost their worker and that somebody asked to cancel."""
    wanted = [_expired(now), JobRow.cancel_requested.is_(True)]
    return _change_all(session, wanted, **_ended(JobState.CANCELLED, now))


def fail_expired(
    session: Session, now: datetime, max_attempts: int, error: dict[str, Any]
) -> Sequence[JobRow]:
    """End jobs that lost their worker at the last try they had."""
    exhausted = [_expired(now), max_attempts <= _TRIES]
    return _change_all(session, exhausted, error=error, **_ended(JobState.FAILED, now))


def take_overdue(
    session: Session, now: datetime, patience: float, queues: Sequence[str]
) -> Sequence[JobRow]:
    """Mark as dispatched, and return, jobs whose message must be sent (again).

    Always those that lost their worker, and those that wait in ``queues``. A job is returned
    to one caller only within ``patience`` seconds.
    """
    wanted = or_(_expired(now), _waits_in(queues))
    stale = JobRow.dispatched_at < now - timedelta(seconds=patience)
    return _change_all(session, [wanted, stale], dispatched_at=now)


def store_checkpoint(session: Session, row: CheckpointRow) -> None:
    """Keep this checkpoint of its job and forget the one before."""
    session.merge(row)


def find_checkpoint(session: Session, job_id: str) -> CheckpointRow | None:
    """Return the newest checkpoint of a job, if it has one."""
    return session.get(CheckpointRow, job_id)


def delete_checkpoints(session: Session, job_ids: Sequence[str]) -> None:
    """Forget the checkpoints of jobs that have ended."""
    session.execute(delete(CheckpointRow).where(CheckpointRow.job_id.in_(job_ids)))


def _held(claim: Claim) -> list[ColumnElement[bool]]:
    return [
        JobRow.id == claim.job_id,
        JobRow.attempt == claim.attempt,
        JobRow.state == JobState.RUNNING,
    ]


def _expired(now: datetime) -> ColumnElement[bool]:
    return and_(JobRow.state == JobState.RUNNING, JobRow.lease_until < now)


def _claimable(now: datetime, terms: LeaseTerms) -> ColumnElement[bool]:
    lost = and_(_expired(now), JobRow.cancel_requested.is_(False), terms.max_attempts > _TRIES)
    return and_(JobRow.queue.in_(terms.queues), or_(JobRow.state == JobState.QUEUED, lost))


def _waits_in(queues: Sequence[str]) -> ColumnElement[bool]:
    return and_(JobRow.state == JobState.QUEUED, JobRow.queue.in_(queues))


def _claimed(now: datetime, terms: LeaseTerms) -> dict[str, Any]:
    return {
        "state": JobState.RUNNING,
        "attempt": JobRow.attempt + 1,
        "owner": terms.owner,
        "lease_until": now + timedelta(seconds=terms.seconds),
        "heartbeat_at": now,
        "started_at": func.coalesce(JobRow.started_at, now),
    }


def _ended(state: JobState, now: datetime) -> dict[str, Any]:
    return {"state": state, "finished_at": now, "owner": None, "lease_until": None}


def _change_one(
    session: Session, conditions: Sequence[ColumnElement[bool]], **values: Any
) -> JobRow | None:
    rows = _change_all(session, conditions, **values)
    return rows[0] if rows else None


def _change_all(
    session: Session, conditions: Sequence[ColumnElement[bool]], **values: Any
) -> Sequence[JobRow]:
    told = not TOLD.isdisjoint(values)
    if told:
        values["event_count"] = JobRow.event_count + 1
    statement = update(JobRow).where(*conditions).values(**values).returning(JobRow)
    options = {"synchronize_session": False, "populate_existing": True}
    rows = session.scalars(statement, execution_options=options).all()
    if told:
        session.add_all(make_event(row, progressed="progress" in values) for row in rows)
    return rows


def list_stored_models(session: Session, model_ids: Sequence[str]) -> set[str]:
    """Return which of these models are still there."""
    return set(session.scalars(select(ModelRow.id).where(ModelRow.id.in_(model_ids))))
