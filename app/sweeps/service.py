"""Stores sweeps with their jobs, summarises them and cancels them."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.errors import SweepNotCancellable, SweepNotFound
from app.jobs.service import Origin, cancel_jobs, enqueue
from app.storage.db import current_time
from app.storage.documents import JobPayload, SweepRequestDocument
from app.storage.tables import JobRow, ModelRow, SweepRow
from app.sweeps import repository
from app.sweeps.summary import SweepSummary


@dataclass(frozen=True, kw_only=True)
class NewSweep:
    """A checked sweep; ``payloads`` are its training jobs in the order of its plan."""

    id: str
    label: str
    request: SweepRequestDocument
    payloads: Sequence[JobPayload]
    origin: Origin


def store_sweep(session: Session, new: NewSweep) -> list[JobRow]:
    """Write a sweep and all its jobs; the caller commits and then dispatches the jobs."""
    row = SweepRow(
        id=new.id,
        graph_id=new.origin.graph_id,
        label=new.label,
        request=new.request,
        created_at=current_time(session),
    )
    repository.insert_sweep(session, row)
    jobs = [enqueue(session, "train", payload, new.origin) for payload in new.payloads]
    repository.insert_trials(session, row.id, [job.id for job in jobs])
    return jobs


def get_sweep(session: Session, sweep_id: str) -> SweepSummary:
    """Return the current state of a sweep. Raises: SweepNotFound."""
    row = repository.find_sweep(session, sweep_id)
    if row is None:
        raise SweepNotFound(f"There is no sweep {sweep_id!r}.")
    return _summarise(session, [row])[0]


def list_sweeps(
    session: Session, graph_id: str | None, limit: int, cursor: str | None
) -> tuple[list[SweepSummary], str | None]:
    """Return a page of sweeps, newest first, and the cursor of the next page."""
    rows, next_cursor = repository.list_sweeps(session, graph_id, limit, cursor)
    return _summarise(session, rows), next_cursor


def cancel_sweep(session: Session, sweep_id: str) -> SweepSummary:
    """Cancel the queued jobs and ask the workers of the running jobs to stop.

    Raises: SweepNotFound, SweepNotCancellable if every job has ended.
    """
    summary = get_sweep(session, sweep_id)
    if not cancel_jobs(session, [trial.job_id for trial in summary.trials]):
        raise SweepNotCancellable(f"Sweep {sweep_id} has already ended: {summary.state}.")
    repository.mark_cancelled(session, sweep_id)
    session.expire_all()
    return get_sweep(session, sweep_id)


def find_comparison(session: Session, sweep_id: str) -> ModelRow | None:
    """Return the model whose baselines all models of the sweep share, if there is one yet.

    Grid, label, split and the settings of the baselines are the same for all jobs of a sweep.
    """
    first = repository.find_first_model(session, sweep_id)
    if first is None or first.baselines is None or "shared_from" in first.baselines:
        return None
    return first


def _summarise(session: Session, sweeps: Sequence[SweepRow]) -> list[SweepSummary]:
    trials = repository.list_trials(session, sweeps)
    return [SweepSummary(sweep, trials[sweep.id]) for sweep in sweeps]
