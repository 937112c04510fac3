"""What may happen to a sweep: stored with its jobs, looked at, cancelled as a whole."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from sqlalchemy import Row
from sqlalchemy.orm import Session

from app.errors import SweepNotCancellable, SweepNotFound
from app.jobs.service import Origin, cancel_jobs, enqueue
from app.jobs.states import JobState
from app.storage.db import current_time
from app.storage.tables import JobRow, ModelRow, SweepRow
from app.sweeps import repository
from app.sweeps.summary import Summary, TrialRecord


@dataclass(frozen=True, kw_only=True)
class NewSweep:
    """A checked sweep: ``payloads`` are its training jobs in order, settings filled in."""

    label: str
    request: dict[str, Any]
    payloads: Sequence[dict[str, Any]]
    origin: Origin


def store_sweep(session: Session, new: NewSweep) -> list[JobRow]:
    """Write a sweep and all its jobs; the caller commits and then dispatches the jobs.

    Each job has the id of the sweep in its payload as ``sweep_id``.
    """
    row = SweepRow(
        id=uuid4().hex,
        graph_id=new.origin.graph_id,
        label=new.label,
        request=new.request,
        created_at=current_time(session),
    )
    repository.insert_sweep(session, row)
    jobs = [
        enqueue(session, "train", payload | {"sweep_id": row.id}, new.origin)
        for payload in new.payloads
    ]
    repository.insert_trials(session, row.id, [job.id for job in jobs])
    return jobs


def get_sweep(session: Session, sweep_id: str) -> Summary:
    """Return a sweep as its jobs stand now. Raises: SweepNotFound."""
    row = repository.find_sweep(session, sweep_id)
    if row is None:
        raise SweepNotFound(f"There is no sweep {sweep_id!r}.")
    return _summarise(session, [row])[0]


def list_sweeps(
    session: Session, graph_id: str | None, limit: int, cursor: str | None
) -> tuple[list[Summary], str | None]:
    """Return a page of sweeps, newest first, and the cursor of the next page."""
    rows, next_cursor = repository.list_sweeps(session, graph_id, limit, cursor)
    return _summarise(session, rows), next_cursor


def cancel_sweep(session: Session, sweep_id: str) -> Summary:
    """End the jobs that wait and ask the workers of the others to stop.

    Raises: SweepNotFound, SweepNotCancellable if every job has ended.
    """
    summary = get_sweep(session, sweep_id)
    if not cancel_jobs(session, [trial.job_id for trial in summary.trials]):
        raise SweepNotCancellable(f"Sweep {sweep_id} has already ended: {summary.state}.")
    repository.mark_cancelled(session, sweep_id)
    session.expire_all()
    return get_sweep(session, sweep_id)


def find_comparison(session: Session, sweep_id: str) -> ModelRow | None:
    """Return the model of a sweep whose baselines the others share, once there is one.

    Grid, label, split and the settings of the baselines are the same throughout a sweep.
    """
    first = repository.find_first_model(session, sweep_id)
    if first is None or first.baselines is None or "shared_from" in first.baselines:
        return None
    return first


def _summarise(session: Session, rows: Sequence[SweepRow]) -> list[Summary]:
    trials: dict[str, list[TrialRecord]] = {row.id: [] for row in rows}
    names = {row.id: row.request["parameters"] for row in rows}
    for found in repository.list_trials(session, list(trials)):
        trials[found.sweep_id].append(_read_trial(found, names[found.sweep_id]))
    return [Summary(row, trials[row.id]) for row in rows]


def _read_trial(found: Row[Any], names: Sequence[str]) -> TrialRecord:
    return TrialRecord(
        position=found.position,
        job_id=found.job_id,
        state=JobState(found.state),
        parameters={name: found.config[name] for name in names},
        seed=found.config["seed"],
        epoch=found.epoch,
        epochs=found.config["epochs"],
        result=found.result or {},
        model_id=found.model_id,
        error=found.error,
        started_at=found.started_at,
        finished_at=found.finished_at,
    )
