"""Run one job: claim it, start its trainer, keep the lease, settle how it ended."""

import signal
import subprocess
import time
from enum import Enum, auto

import structlog
from sqlalchemy.orm import Session

from app.errors import JobFailed, LeaseLost, TimeLimitReached, TrainerCrashed, WorkerLost
from app.http.problems import describe_failure
from app.jobs import service
from app.jobs.states import Claim, JobState
from app.jobs.workers import count_slots
from app.storage.retry import DATABASE_AWAY, read_patiently, tell_outage, write_patiently
from app.storage.tables import GraphRow, JobRow
from app.worker.context import WorkerContext
from app.worker.failures import explain_limit
from app.worker.process import child_command, child_environment

HANDED_BACK = 75
"""Exit code of a trainer that saved a checkpoint because its worker stops (EX_TEMPFAIL)."""

_log = structlog.get_logger("levygrid.worker")


class _Verdict(Enum):
    EXITED = auto()
    CANCELLED = auto()
    STOPPED = auto()
    OVERTIME = auto()
    LOST = auto()


def run_job(worker: WorkerContext, job_id: str) -> bool:
    """Run the named job if it may be claimed; return whether it was."""
    with worker.database.writing() as session:
        row = service.claim_job(session, job_id, worker.terms)
    return _run_claimed(worker, row)


def run_next(worker: WorkerContext) -> bool:
    """Run the next job that waits or was lost, if any; return whether there was one."""
    with worker.database.reading() as session:
        if not service.has_work(session, worker.queues):
            return False
    with worker.database.writing() as session:
        row = service.claim_next(session, worker.terms)
    return _run_claimed(worker, row)


def reap_lost_jobs(worker: WorkerContext) -> None:
    """End jobs whose worker is lost and that may not be tried again."""
    with worker.database.reading() as session:
        if not service.has_work(session, ()):
            return
    tries = worker.settings.max_attempts
    reason = WorkerLost(f"The worker was lost in each of {tries} tries.")
    with worker.database.writing() as session:
        ended = service.reap(session, tries, describe_failure(reason))
    for row in ended:
        _log.warning("job ended without its worker", job=row.id, state=row.state)


def _run_claimed(worker: WorkerContext, row: JobRow | None) -> bool:
    if row is None:
        return False
    claim = Claim(row.id, row.attempt)
    log = _log.bind(job=row.id, attempt=row.attempt)
    if row.request_id is not None:
        log = log.bind(request_id=row.request_id)
    log.info("job claimed", kind=row.kind)
    trainer = _start_trainer(worker, claim, row.threads or _choose_threads(worker, claim, row))
    try:
        verdict = _watch(worker, claim, trainer)
    finally:
        trainer.kill()
        trainer.wait()
    state = _settle(worker, claim, verdict, trainer.returncode)
    log.info("job left", state=state)
    return True


def _choose_threads(worker: WorkerContext, claim: Claim, row: JobRow) -> int:
    """Share the cores with every job of this host, once for all attempts of the job."""
    with worker.database.writing() as session:
        graph = None if row.graph_id is None else session.get(GraphRow, row.graph_id)
        slots = count_slots(session, worker.host, worker.settings.lease_seconds)
        threads = worker.choose_threads(0 if graph is None else graph.bus_count, slots)
        service.keep_threads(session, claim, threads)
    return threads


def _start_trainer(worker: WorkerContext, claim: Claim, threads: int) -> subprocess.Popen[bytes]:
    # A session of its own: Ctrl-C on the terminal is for the worker, which then stops it.
    return subprocess.Popen(  # noqa: S603 - our own interpreter and module
        child_command("app.worker.job_process", claim.job_id, str(claim.attempt)),
        env=child_environment(worker.settings, threads) | worker.environment,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )


def _watch(worker: WorkerContext, claim: Claim, trainer: subprocess.Popen[bytes]) -> _Verdict:
    settings = worker.settings
    started = beaten = time.monotonic()
    while not _has_exited(trainer, min(settings.poll_seconds, settings.heartbeat_seconds)):
        if worker.stop.is_set():
            return _stop(trainer, settings.stop_seconds)
        now = time.monotonic()
        if settings.job_seconds and now - started > settings.job_seconds:
            return _Verdict.OVERTIME
        beat = now - beaten >= settings.heartbeat_seconds
        if beat:
            beaten = now
        verdict = _look_at_job(worker, claim, beat=beat)
        if verdict is not None:
            return verdict
    return _Verdict.EXITED


def _look_at_job(worker: WorkerContext, claim: Claim, *, beat: bool) -> _Verdict | None:
    try:
        cancelled = _renew(worker, claim) if beat else _peek(worker, claim)
        if beat:
            reap_lost_jobs(worker)  # nobody else may be there to do it
    except LeaseLost:
        return _Verdict.LOST
    except DATABASE_AWAY as error:
        _log.warning("database away", job=claim.job_id, reason=tell_outage(error))
        return None
    return _Verdict.CANCELLED if cancelled else None


def _renew(worker: WorkerContext, claim: Claim) -> bool:
    with worker.database.writing() as session:
        return service.renew_lease(session, claim, worker.settings.lease_seconds)


def _peek(worker: WorkerContext, claim: Claim) -> bool:
    with worker.database.reading() as session:
        return service.is_cancel_requested(session, claim)


def _stop(trainer: subprocess.Popen[bytes], patience: float) -> _Verdict:
    trainer.send_signal(signal.SIGTERM)
    ended = _has_exited(trainer, patience)
    return _Verdict.EXITED if ended and trainer.returncode == 0 else _Verdict.STOPPED


def _has_exited(trainer: subprocess.Popen[bytes], within: float) -> bool:
    try:
        trainer.wait(within)
    except subprocess.TimeoutExpired:
        return False
    return True


def _settle(worker: WorkerContext, claim: Claim, verdict: _Verdict, exit_code: int) -> str:
    def find(session: Session) -> JobRow:
        return service.get_job(session, claim.job_id)

    def settle(session: Session) -> JobRow:
        row = find(session)
        if verdict is _Verdict.LOST or row.attempt != claim.attempt:
            return row
        if row.state == JobState.RUNNING:
            _end(session, worker, claim, verdict, exit_code)
        return find(session)

    try:
        row = write_patiently(worker.database, settle, worker.stop)
    except LeaseLost:  # the job ended or was taken over between our look and our update
        row = read_patiently(worker.database, find, worker.stop)
    if row.state == JobState.QUEUED:
        worker.dispatcher.dispatch(row)
    return row.state


def _end(
    session: Session, worker: WorkerContext, claim: Claim, verdict: _Verdict, exit_code: int
) -> None:
    settings = worker.settings
    if verdict is _Verdict.CANCELLED:
        service.finish_cancelled(session, claim)
    elif verdict is _Verdict.STOPPED or exit_code == HANDED_BACK:
        service.hand_back(session, claim)
    elif verdict is _Verdict.OVERTIME:
        limit = f"The job ran longer than {settings.job_seconds:g} seconds."
        service.finish_failed(session, claim, describe_failure(TimeLimitReached(limit)))
    else:
        error = describe_failure(_crash(exit_code, settings.job_memory_bytes))
        service.retry_or_fail(session, claim, settings.max_attempts, error)


def _crash(exit_code: int, memory_limit: int) -> JobFailed:
    limit = explain_limit(memory_limit)
    if exit_code >= 0:
        return TrainerCrashed(f"The training process ended with code {exit_code}.{limit}")
    name = signal.Signals(-exit_code).name
    cause = "; most often memory ran out" if name == "SIGKILL" else ""
    return TrainerCrashed(f"The training process was ended by {name}{cause}.{limit}")
