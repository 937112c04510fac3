"""Runs one job: claims it, starts its process, renews the lease, stores how it ended."""

import signal
import subprocess
import time
from enum import Enum, auto

import structlog
from sqlalchemy.orm import Session

from app.errors import (
    JobFailed,
    LeaseLost,
    TimeLimitReached,
    TrainerCrashed,
    WorkerLost,
)
from app.graphs.repository import find_graph  # its service would import scipy here
from app.http.problems import describe_failure
from app.jobs import service
from app.jobs.states import Claim, JobState
from app.jobs.workers import count_slots
from app.storage.retry import DATABASE_AWAY, describe_outage, read_with_retry, write_with_retry
from app.storage.tables import JobRow
from app.worker.context import WorkerContext
from app.worker.failures import explain_limit
from app.worker.process import HANDED_BACK, child_command, child_environment

_log = structlog.get_logger("levygrid.worker")


class _Outcome(Enum):
    """Why the worker stopped watching a job process."""

    EXITED = auto()
    CANCELLED = auto()
    STOPPED = auto()
    OVERTIME = auto()
    LOST = auto()


def run_job(worker: WorkerContext, job_id: str) -> bool:
    """Run the named job if it can be claimed; return whether it was."""
    with worker.database.writing() as session:
        row = service.claim_job(session, job_id, worker.terms)
    return _run_claimed(worker, row)


def run_next(worker: WorkerContext) -> bool:
    """Run the next job that is queued or lost, if any; return whether there was one."""
    with worker.database.reading() as session:
        if not service.has_work(session, worker.queues):
            return False
    with worker.database.writing() as session:
        row = service.claim_next(session, worker.terms)
    return _run_claimed(worker, row)


def reap_lost_jobs(worker: WorkerContext) -> None:
    """End jobs that have lost their worker and must not be retried."""
    with worker.database.reading() as session:
        if not service.has_work(session, ()):
            return
    attempts = worker.settings.max_attempts
    reason = WorkerLost(f"The worker was lost in each of {attempts} attempts.")
    with worker.database.writing() as session:
        ended = service.reap(session, attempts, describe_failure(reason))
    for row in ended:
        _log.warning("job ended after its worker was lost", job=row.id, state=row.state)


def _run_claimed(worker: WorkerContext, row: JobRow | None) -> bool:
    if row is None:
        return False
    claim = Claim(row.id, row.attempt)
    log = _log.bind(job=row.id, attempt=row.attempt)
    if row.request_id is not None:
        log = log.bind(request_id=row.request_id)
    log.info("job claimed", kind=row.kind)
    process = _start_process(worker, claim, row.threads or _choose_threads(worker, claim, row))
    try:
        outcome = _watch(worker, claim, process)
    finally:
        process.kill()
        process.wait()
    state = _store_outcome(worker, claim, outcome, process.returncode)
    log.info("job released", state=state)
    return True


def _choose_threads(worker: WorkerContext, claim: Claim, row: JobRow) -> int:
    """Divide the cores among the jobs of this host; the choice holds for later attempts too."""
    with worker.database.writing() as session:
        slots = count_slots(session, worker.host, worker.settings.lease_seconds)
        threads = worker.choose_threads(_count_buses(session, row), slots)
        service.store_threads(session, claim, threads)
    return threads


def _count_buses(session: Session, row: JobRow) -> int:
    graph = None if row.graph_id is None else find_graph(session, row.graph_id)
    return 0 if graph is None else graph.bus_count


def _start_process(worker: WorkerContext, claim: Claim, threads: int) -> subprocess.Popen[bytes]:
    # A separate session: Ctrl-C in the terminal reaches only the worker, which stops the process.
    return subprocess.Popen(  # noqa: S603 - our own interpreter and module
        child_command("app.worker.job_process", claim.job_id, str(claim.attempt)),
        env=child_environment(worker.settings, threads) | worker.environment,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )


def _watch(worker: WorkerContext, claim: Claim, process: subprocess.Popen[bytes]) -> _Outcome:
    settings = worker.settings
    started = renewed = time.monotonic()
    while not _has_exited(process, min(settings.poll_seconds, settings.heartbeat_seconds)):
        if worker.stop.is_set():
            return _stop(process, settings.stop_seconds)
        now = time.monotonic()
        if settings.job_seconds and now - started > settings.job_seconds:
            return _Outcome.OVERTIME
        renew = now - renewed >= settings.heartbeat_seconds
        if renew:
            renewed = now
        outcome = _check_job(worker, claim, renew=renew)
        if outcome is not None:
            return outcome
    return _Outcome.EXITED


def _check_job(worker: WorkerContext, claim: Claim, *, renew: bool) -> _Outcome | None:
    try:
        cancelled = _renew(worker, claim) if renew else _is_cancelled(worker, claim)
        if renew:
            reap_lost_jobs(worker)  # this may be the only worker
    except LeaseLost:
        return _Outcome.LOST
    except DATABASE_AWAY as error:
        _log.warning("database unreachable", job=claim.job_id, reason=describe_outage(error))
        return None
    return _Outcome.CANCELLED if cancelled else None


def _renew(worker: WorkerContext, claim: Claim) -> bool:
    with worker.database.writing() as session:
        return service.renew_lease(session, claim, worker.settings.lease_seconds)


def _is_cancelled(worker: WorkerContext, claim: Claim) -> bool:
    with worker.database.reading() as session:
        return service.is_cancel_requested(session, claim)


def _stop(process: subprocess.Popen[bytes], seconds: float) -> _Outcome:
    process.send_signal(signal.SIGTERM)
    ended = _has_exited(process, seconds)
    return _Outcome.EXITED if ended and process.returncode == 0 else _Outcome.STOPPED


def _has_exited(process: subprocess.Popen[bytes], within: float) -> bool:
    try:
        process.wait(within)
    except subprocess.TimeoutExpired:
        return False
    return True


def _store_outcome(worker: WorkerContext, claim: Claim, outcome: _Outcome, exit_code: int) -> str:
    def find(session: Session) -> JobRow:
        return service.get_job(session, claim.job_id)

    def store(session: Session) -> JobRow:
        row = find(session)
        if outcome is _Outcome.LOST or row.attempt != claim.attempt:
            return row
        if row.state == JobState.RUNNING:
            _end(session, worker, claim, outcome, exit_code)
        return find(session)

    try:
        row = write_with_retry(worker.database, store, worker.stop)
    except LeaseLost:  # the job ended or was claimed between our read and our update
        row = read_with_retry(worker.database, find, worker.stop)
    if row.state == JobState.QUEUED:
        worker.dispatcher.dispatch(row)
    return row.state


def _end(
    session: Session, worker: WorkerContext, claim: Claim, outcome: _Outcome, exit_code: int
) -> None:
    settings = worker.settings
    if outcome is _Outcome.CANCELLED:
        service.finish_cancelled(session, claim)
    elif outcome is _Outcome.STOPPED or exit_code == HANDED_BACK:
        service.hand_back(session, claim)
    elif outcome is _Outcome.OVERTIME:
        limit = f"The job ran longer than LEVYGRID_JOB_SECONDS ({settings.job_seconds:g} seconds)."
        service.finish_failed(session, claim, describe_failure(TimeLimitReached(limit)))
    else:
        error = describe_failure(_crash(exit_code, settings.job_memory_bytes))
        service.retry_or_fail(session, claim, settings.max_attempts, error)


def _crash(exit_code: int, memory_limit: int) -> JobFailed:
    limit = explain_limit(memory_limit)
    if exit_code >= 0:
        return TrainerCrashed(f"The job process ended with exit code {exit_code}.{limit}")
    name = signal.Signals(-exit_code).name
    cause = ", probably because the machine ran out of memory" if name == "SIGKILL" else ""
    return TrainerCrashed(f"The job process was killed by {name}{cause}.{limit}")
