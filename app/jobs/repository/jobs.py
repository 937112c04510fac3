"""Rows of jobs, their events and checkpoints; every change of state is one conditional update.

If two processes attempt the same change, exactly one succeeds, on SQLite and on Postgres.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, and_, case, delete, exists, func, or_, select, tuple_, update
from sqlalchemy.orm import Session

from app.errors import ProblemBody
from app.jobs.events import EVENT_COLUMNS, make_event
from app.jobs.states import UNFINISHED, Claim, JobState, LeaseTerms
from app.storage.paging import fetch_page
from app.storage.tables import CheckpointRow, JobEventRow, JobRow, ModelRow

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
    """Return whether a job waits in these queues or any lease has expired, without writing."""
    work = or_(_is_queued_in(queues), _has_expired(now))
    return bool(session.scalar(select(exists().where(work))))


def claim_job(session: Session, job_id: str, now: datetime, terms: LeaseTerms) -> JobRow | None:
    """Claim the named job if it is queued or its lease has expired; increments ``attempt``."""
    return _change_one(
        session, [JobRow.id == job_id, _is_claimable(now, terms)], **_claimed(now, terms)
    )


def claim_next(session: Session, now: datetime, terms: LeaseTerms) -> JobRow | None:
    """Claim the first job that is queued or has an expired lease: by priority, then age."""
    first = (
        select(JobRow.id)
        .where(_is_claimable(now, terms))
        .order_by(JobRow.priority.desc(), JobRow.created_at, JobRow.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    chosen = JobRow.id == first.scalar_subquery()
    return _change_one(session, [chosen, _is_claimable(now, terms)], **_claimed(now, terms))


def change_held(session: Session, claim: Claim, **values: Any) -> JobRow | None:
    """Change a running job if the claim is still valid; None if it is not."""
    return _change_one(session, _held(claim), **values)


def cancel_queued(session: Session, job_id: str, now: datetime) -> JobRow | None:
    """Cancel a queued job; None if it is not queued."""
    waiting = [JobRow.id == job_id, JobRow.state == JobState.QUEUED]
    values = _ended(JobState.CANCELLED, now) | {"cancel_requested": True}
    return _change_one(session, waiting, **values)


def request_cancel(session: Session, job_id: str) -> JobRow | None:
    """Ask the worker of a running job to stop; None if the job is not running."""
    running = [JobRow.id == job_id, JobRow.state == JobState.RUNNING]
    return _change_one(session, running, cancel_requested=True)


def cancel_all(session: Session, job_ids: Sequence[str], now: datetime) -> Sequence[JobRow]:
    """Cancel the queued jobs and ask the workers of the running ones to stop.

    One statement, because between two a job could return to the queue and escape both.
    """
    unfinished = JobRow.state.in_(UNFINISHED)
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
    """End a running job if the claim is still valid; None if it is not."""
    return _change_one(session, _held(claim), **_ended(state, now), **values)


def queue_held(session: Session, claim: Claim, now: datetime, *, counts: bool) -> JobRow | None:
    """Return a running job to the queue; ``counts`` if the attempt counts as failed.

    If its cancellation was requested, the job ends instead. One statement decides, because the
    request may arrive while this transaction waits for the row.
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
    """Cancel jobs whose lease has expired and whose cancellation was requested."""
    wanted = [_has_expired(now), JobRow.cancel_requested.is_(True)]
    return _change_all(session, wanted, **_ended(JobState.CANCELLED, now))


def fail_expired(
    session: Session, now: datetime, max_attempts: int, error: ProblemBody
) -> Sequence[JobRow]:
    """Fail jobs whose lease has expired in their last attempt."""
    exhausted = [_has_expired(now), max_attempts <= _TRIES]
    return _change_all(session, exhausted, error=error, **_ended(JobState.FAILED, now))


def take_overdue(
    session: Session, now: datetime, seconds: float, queues: Sequence[str]
) -> Sequence[JobRow]:
    """Mark as dispatched, and return, jobs whose message must be sent again.

    These are jobs with an expired lease and jobs that wait in ``queues``. Within ``seconds`` a
    job is returned to one caller only.
    """
    wanted = or_(_has_expired(now), _is_queued_in(queues))
    stale = JobRow.dispatched_at < now - timedelta(seconds=seconds)
    return _change_all(session, [wanted, stale], dispatched_at=now)


def store_checkpoint(session: Session, row: CheckpointRow) -> None:
    """Store a checkpoint and replace the previous one of its job."""
    session.merge(row)


def find_checkpoint(session: Session, job_id: str) -> CheckpointRow | None:
    """Return the newest checkpoint of a job, if it has one."""
    return session.get(CheckpointRow, job_id)


def delete_checkpoints(session: Session, job_ids: Sequence[str]) -> None:
    """Delete the checkpoints of jobs that have ended."""
    session.execute(delete(CheckpointRow).where(CheckpointRow.job_id.in_(job_ids)))


def count_jobs_ahead(session: Session, job: JobRow) -> int:
    """Return how many queued jobs of the same queue run before this one."""
    older = tuple_(JobRow.created_at, JobRow.id) < (job.created_at, job.id)
    first = or_(JobRow.priority > job.priority, (JobRow.priority == job.priority) & older)
    waiting = [JobRow.state == JobState.QUEUED, JobRow.queue == job.queue, first]
    return session.scalar(select(func.count()).select_from(JobRow).where(*waiting)) or 0


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
    """Return the number of events of each of these jobs."""
    query = select(JobRow.id, JobRow.event_count).where(JobRow.id.in_(job_ids))
    return dict(iter(session.execute(query)))


def list_stored_models(session: Session, model_ids: Sequence[str]) -> set[str]:
    """Return the ids of those models that still exist."""
    return set(session.scalars(select(ModelRow.id).where(ModelRow.id.in_(model_ids))))


def _held(claim: Claim) -> list[ColumnElement[bool]]:
    return [
        JobRow.id == claim.job_id,
        JobRow.attempt == claim.attempt,
        JobRow.state == JobState.RUNNING,
    ]


def _has_expired(now: datetime) -> ColumnElement[bool]:
    return and_(JobRow.state == JobState.RUNNING, JobRow.lease_until < now)


def _is_claimable(now: datetime, terms: LeaseTerms) -> ColumnElement[bool]:
    lost = and_(_has_expired(now), JobRow.cancel_requested.is_(False), terms.max_attempts > _TRIES)
    return and_(JobRow.queue.in_(terms.queues), or_(JobRow.state == JobState.QUEUED, lost))


def _is_queued_in(queues: Sequence[str]) -> ColumnElement[bool]:
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
    makes_event = not EVENT_COLUMNS.isdisjoint(values)
    if makes_event:
        values["event_count"] = JobRow.event_count + 1
    statement = update(JobRow).where(*conditions).values(**values).returning(JobRow)
    options = {"synchronize_session": False, "populate_existing": True}
    rows = session.scalars(statement, execution_options=options).all()
    if makes_event:
        session.add_all(make_event(row, progressed="progress" in values) for row in rows)
    return rows
