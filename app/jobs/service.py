"""What may happen to a job: queued, claimed, heard of, handed back, ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy.orm import Session

from app.errors import JobNotCancellable, JobNotFound, LeaseLost
from app.jobs import repository
from app.jobs.queues import EVERY_QUEUE, choose_queue
from app.jobs.states import Claim, JobState, LeaseTerms
from app.storage.db import current_time
from app.storage.tables import CheckpointRow, JobRow

LAST_PRIORITY = 9
"""The most urgent; 0 is the least and the default."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a job comes from and how urgent it is."""

    graph_id: str | None = None
    priority: int = 0
    request_id: str | None = None


def enqueue(session: Session, kind: str, payload: dict[str, Any], origin: Origin) -> JobRow:
    """Write a queued job; the caller commits and then dispatches its id."""
    now = current_time(session)
    row = JobRow(
        id=uuid4().hex,
        kind=kind,
        payload=payload,
        state=JobState.QUEUED,
        queue=choose_queue(payload),
        priority=origin.priority,
        attempt=0,
        cancel_requested=False,
        progress={},
        request_id=origin.request_id,
        graph_id=origin.graph_id,
        created_at=now,
        dispatched_at=now,
    )
    repository.insert_job(session, row)
    return row


def get_job(session: Session, job_id: str) -> JobRow:
    """Return a job. Raises: JobNotFound."""
    row = repository.find_job(session, job_id)
    if row is None:
        raise JobNotFound(f"There is no job {job_id!r}.")
    return row


def list_jobs(
    session: Session,
    limit: int,
    cursor: str | None,
    state: JobState | None = None,
    graph_id: str | None = None,
) -> tuple[list[JobRow], str | None]:
    """Return a page of jobs, newest first, and the cursor of the next. Raises: CursorInvalid."""
    return repository.list_jobs(session, limit, cursor, state, graph_id)


def list_stored_models(session: Session, rows: Sequence[JobRow]) -> set[str]:
    """Return the models of these jobs that nobody has deleted since."""
    made = [model_id for row in rows if (model_id := (row.result or {}).get("model_id"))]
    return repository.list_stored_models(session, made)


def cancel_job(session: Session, job_id: str) -> JobRow:
    """End a queued job now; ask the worker of a running one to stop.

    Raises: JobNotFound, JobNotCancellable if it has ended.
    """
    cancelled = repository.cancel_queued(session, job_id, current_time(session))
    if cancelled is not None:
        repository.delete_checkpoints(session, [job_id])
        return cancelled
    asked = repository.request_cancel(session, job_id)
    if asked is not None:
        return asked
    row = get_job(session, job_id)
    raise JobNotCancellable(f"Job {job_id} has already ended: {row.state}.")


def cancel_jobs(session: Session, job_ids: Sequence[str]) -> Sequence[JobRow]:
    """Cancel all of these jobs that have not ended, as ``cancel_job`` does; return them."""
    rows = repository.cancel_all(session, job_ids, current_time(session))
    ended = [row.id for row in rows if row.state == JobState.CANCELLED]
    repository.delete_checkpoints(session, ended)
    return rows


def has_work(session: Session, queues: Sequence[str] = EVERY_QUEUE) -> bool:
    """Tell whether a claim or a reaping could find anything, without writing."""
    return repository.has_work(session, current_time(session), queues)


def claim_job(session: Session, job_id: str, terms: LeaseTerms) -> JobRow | None:
    """Take the named job, if it waits or its worker is lost."""
    return repository.claim_job(session, job_id, current_time(session), terms)


def claim_next(session: Session, terms: LeaseTerms) -> JobRow | None:
    """Take the most urgent, then oldest job that waits or whose worker is lost."""
    return repository.claim_next(session, current_time(session), terms)


def renew_lease(session: Session, claim: Claim, seconds: float) -> bool:
    """Prolong the lease; return whether somebody asked to cancel. Raises: LeaseLost."""
    now = current_time(session)
    until = now + timedelta(seconds=seconds)
    row = repository.change_held(session, claim, lease_until=until, heartbeat_at=now)
    return _held(row, claim).cancel_requested


def is_cancel_requested(session: Session, claim: Claim) -> bool:
    """Look whether somebody asked to cancel, without writing. Raises: LeaseLost."""
    row = repository.find_job(session, claim.job_id)
    if row is None or (row.attempt, row.state) != (claim.attempt, JobState.RUNNING):
        raise _lost(claim)
    return row.cancel_requested


def report_progress(session: Session, claim: Claim, progress: dict[str, Any]) -> None:
    """Say how far a running job is. Raises: LeaseLost."""
    _held(repository.change_held(session, claim, progress=progress), claim)


def keep_threads(session: Session, claim: Claim, threads: int) -> None:
    """Remember how many threads a job computes with: another number gives other last digits."""
    repository.change_held(session, claim, threads=threads)


def save_checkpoint(session: Session, claim: Claim, epoch: int, content: bytes) -> None:
    """Keep the state that a later attempt resumes from. Raises: LeaseLost."""
    now = current_time(session)
    # The update takes the row's lock: until the commit nobody can take the job over.
    _held(repository.change_held(session, claim, heartbeat_at=now), claim)
    row = CheckpointRow(
        job_id=claim.job_id, attempt=claim.attempt, epoch=epoch, content=content, created_at=now
    )
    repository.store_checkpoint(session, row)


def find_checkpoint(session: Session, job_id: str) -> CheckpointRow | None:
    """Return the newest checkpoint of a job, if it has one."""
    return repository.find_checkpoint(session, job_id)


def finish_succeeded(session: Session, claim: Claim, result: dict[str, Any]) -> None:
    """End a job with its result, in the transaction that stores it. Raises: LeaseLost."""
    _end(session, claim, JobState.SUCCEEDED, result=result)


def finish_failed(session: Session, claim: Claim, error: dict[str, Any]) -> None:
    """End a job with a problem body that says why. Raises: LeaseLost."""
    _end(session, claim, JobState.FAILED, error=error)


def finish_cancelled(session: Session, claim: Claim) -> None:
    """End a job whose work was stopped on request. Raises: LeaseLost."""
    _end(session, claim, JobState.CANCELLED)


def hand_back(session: Session, claim: Claim) -> JobRow:
    """Return a job to the queue without counting the try, or end it if that was asked for.

    Raises: LeaseLost.
    """
    return _put_back(session, claim, counts=False)


def retry_or_fail(
    session: Session, claim: Claim, max_attempts: int, error: dict[str, Any]
) -> JobRow:
    """Queue a job whose try failed by no fault of its own, or end it after its last try.

    It ends as cancelled if that was asked for.
    Raises: LeaseLost.
    """
    row = get_job(session, claim.job_id)
    if row.attempt - row.handed_back >= max_attempts and not row.cancel_requested:
        return _end(session, claim, JobState.FAILED, error=error)
    return _put_back(session, claim, counts=True)


def reap(session: Session, max_attempts: int, error: dict[str, Any]) -> Sequence[JobRow]:
    """End jobs that lost their worker and are to go on no more; ``error`` says why."""
    now = current_time(session)
    cancelled = repository.cancel_expired(session, now)
    failed = repository.fail_expired(session, now, max_attempts, error)
    ended = [*cancelled, *failed]
    repository.delete_checkpoints(session, [row.id for row in ended])
    return ended


def take_overdue(session: Session, patience: float, queues: Sequence[str]) -> Sequence[JobRow]:
    """Return jobs whose message was lost with their worker or, of ``queues``, on its way."""
    return repository.take_overdue(session, current_time(session), patience, queues)


def _put_back(session: Session, claim: Claim, *, counts: bool) -> JobRow:
    row = repository.queue_held(session, claim, current_time(session), counts=counts)
    left = _held(row, claim)
    if left.state == JobState.CANCELLED:
        repository.delete_checkpoints(session, [claim.job_id])
    return left


def _end(session: Session, claim: Claim, state: JobState, **values: Any) -> JobRow:
    row = repository.end_held(session, claim, state, current_time(session), **values)
    ended = _held(row, claim)
    repository.delete_checkpoints(session, [claim.job_id])
    return ended


def _held(row: JobRow | None, claim: Claim) -> JobRow:
    if row is None:
        raise _lost(claim)
    return row


def _lost(claim: Claim) -> LeaseLost:
    return LeaseLost(f"Attempt {claim.attempt} of job {claim.job_id} no longer holds it.")
