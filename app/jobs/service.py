"""The life of a job: enqueue, claim, renew, report, hand back, finish, cancel, reap."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy.orm import Session

from app.errors import JobNotCancellable, JobNotFound, LeaseLost, ProblemBody
from app.jobs.queues import EVERY_QUEUE, choose_queue
from app.jobs.repository import jobs as repository
from app.jobs.states import Claim, JobState, LeaseTerms
from app.storage.db import current_time
from app.storage.documents import JobPayload, JobProgress, JobResult
from app.storage.tables import CheckpointRow, JobRow

HIGHEST_PRIORITY = 9
"""The most urgent priority; 0 is the lowest and the default."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The grid and request that a job belongs to, and its priority."""

    graph_id: str | None = None
    priority: int = 0
    request_id: str | None = None


def enqueue(session: Session, kind: str, payload: JobPayload, origin: Origin) -> JobRow:
    """Store a queued job; the caller commits and then dispatches its id."""
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
        raise JobNotFound(f"There is no job with the id {job_id!r}.")
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
    """Return the ids of the models of these jobs that have not been deleted."""
    model_ids = [model_id for row in rows if (model_id := (row.result or {}).get("model_id"))]
    return repository.list_stored_models(session, model_ids)


def cancel_job(session: Session, job_id: str) -> JobRow:
    """Cancel a queued job at once; ask the worker of a running one to stop.

    Raises: JobNotFound, JobNotCancellable if it has ended.
    """
    cancelled = repository.cancel_queued(session, job_id, current_time(session))
    if cancelled is not None:
        repository.delete_checkpoints(session, [job_id])
        return cancelled
    requested = repository.request_cancel(session, job_id)
    if requested is not None:
        return requested
    row = get_job(session, job_id)
    raise JobNotCancellable(f"Job {job_id} has already ended with the state {row.state!r}.")


def cancel_jobs(session: Session, job_ids: Sequence[str]) -> Sequence[JobRow]:
    """Cancel those of the jobs that have not ended, as ``cancel_job`` does; return them."""
    rows = repository.cancel_all(session, job_ids, current_time(session))
    ended = [row.id for row in rows if row.state == JobState.CANCELLED]
    repository.delete_checkpoints(session, ended)
    return rows


def has_work(session: Session, queues: Sequence[str] = EVERY_QUEUE) -> bool:
    """Return whether a job can be claimed or reaped, without writing."""
    return repository.has_work(session, current_time(session), queues)


def claim_job(session: Session, job_id: str, terms: LeaseTerms) -> JobRow | None:
    """Claim the named job if it is queued or its lease has expired."""
    return repository.claim_job(session, job_id, current_time(session), terms)


def claim_next(session: Session, terms: LeaseTerms) -> JobRow | None:
    """Claim the most urgent, then oldest job that is queued or has an expired lease."""
    return repository.claim_next(session, current_time(session), terms)


def renew_lease(session: Session, claim: Claim, seconds: float) -> bool:
    """Renew the lease; return whether cancellation was requested. Raises: LeaseLost."""
    now = current_time(session)
    until = now + timedelta(seconds=seconds)
    row = repository.change_held(session, claim, lease_until=until, heartbeat_at=now)
    return _held(row, claim).cancel_requested


def is_cancel_requested(session: Session, claim: Claim) -> bool:
    """Return whether cancellation was requested, without writing. Raises: LeaseLost."""
    row = repository.find_job(session, claim.job_id)
    if row is None or (row.attempt, row.state) != (claim.attempt, JobState.RUNNING):
        raise _lost(claim)
    return row.cancel_requested


def report_progress(session: Session, claim: Claim, progress: JobProgress) -> None:
    """Store the progress of a running job. Raises: LeaseLost."""
    _held(repository.change_held(session, claim, progress=progress), claim)


def store_threads(session: Session, claim: Claim, threads: int) -> None:
    """Store the thread count of a job: another count changes the last digits of its results."""
    repository.change_held(session, claim, threads=threads)


def save_checkpoint(session: Session, claim: Claim, epoch: int, content: bytes) -> None:
    """Store the state that a later attempt resumes from. Raises: LeaseLost."""
    now = current_time(session)
    # This update locks the row: no other worker can claim the job before the commit.
    _held(repository.change_held(session, claim, heartbeat_at=now), claim)
    row = CheckpointRow(
        job_id=claim.job_id, attempt=claim.attempt, epoch=epoch, content=content, created_at=now
    )
    repository.store_checkpoint(session, row)


def find_checkpoint(session: Session, job_id: str) -> CheckpointRow | None:
    """Return the newest checkpoint of a job, if it has one."""
    return repository.find_checkpoint(session, job_id)


def finish_succeeded(session: Session, claim: Claim, result: JobResult) -> None:
    """End a job with its result, in the transaction that stores it. Raises: LeaseLost."""
    _end(session, claim, JobState.SUCCEEDED, result=result)


def finish_failed(session: Session, claim: Claim, error: ProblemBody) -> None:
    """End a job with the problem body of its failure. Raises: LeaseLost."""
    _end(session, claim, JobState.FAILED, error=error)


def finish_cancelled(session: Session, claim: Claim) -> None:
    """End a job whose work was stopped on request. Raises: LeaseLost."""
    _end(session, claim, JobState.CANCELLED)


def hand_back(session: Session, claim: Claim) -> JobRow:
    """Return a job to the queue without counting the attempt, or cancel it if requested.

    Raises: LeaseLost.
    """
    return _put_back(session, claim, counts=False)


def retry_or_fail(session: Session, claim: Claim, max_attempts: int, error: ProblemBody) -> JobRow:
    """Return a job to the queue after a crashed attempt, or fail it after the last one.

    The job ends as cancelled if cancellation was requested. Raises: LeaseLost.
    """
    row = get_job(session, claim.job_id)
    if row.attempt - row.handed_back >= max_attempts and not row.cancel_requested:
        return _end(session, claim, JobState.FAILED, error=error)
    return _put_back(session, claim, counts=True)


def reap(session: Session, max_attempts: int, error: ProblemBody) -> Sequence[JobRow]:
    """End jobs with an expired lease that must not be retried; ``error`` is their problem body."""
    now = current_time(session)
    cancelled = repository.cancel_expired(session, now)
    failed = repository.fail_expired(session, now, max_attempts, error)
    ended = [*cancelled, *failed]
    repository.delete_checkpoints(session, [row.id for row in ended])
    return ended


def take_overdue(session: Session, seconds: float, queues: Sequence[str]) -> Sequence[JobRow]:
    """Return jobs whose message must be sent again; see the repository."""
    return repository.take_overdue(session, current_time(session), seconds, queues)


def _put_back(session: Session, claim: Claim, *, counts: bool) -> JobRow:
    row = repository.queue_held(session, claim, current_time(session), counts=counts)
    released = _held(row, claim)
    if released.state == JobState.CANCELLED:
        repository.delete_checkpoints(session, [claim.job_id])
    return released


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
    return LeaseLost(f"Attempt {claim.attempt} no longer holds job {claim.job_id}.")
