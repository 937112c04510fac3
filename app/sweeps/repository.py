"""Rows of sweeps and of their trials.

The queries join the tables of jobs and models, because the state of a sweep is computed from
them.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, select, update
from sqlalchemy.orm import Session

from app.jobs.states import JobState
from app.models.card.reports import FigureSummary
from app.storage.paging import fetch_page
from app.storage.tables import JobRow, ModelRow, SweepRow, SweepTrialRow
from app.sweeps.summary import TrialRecord


def insert_sweep(session: Session, row: SweepRow) -> None:
    """Add a sweep; its trials are added by ``insert_trials``."""
    session.add(row)
    session.flush()


def insert_trials(session: Session, sweep_id: str, job_ids: Sequence[str]) -> None:
    """Add the jobs of a sweep, in the order of its plan."""
    session.add_all(
        SweepTrialRow(sweep_id=sweep_id, position=position, job_id=job_id)
        for position, job_id in enumerate(job_ids)
    )
    session.flush()


def find_sweep(session: Session, sweep_id: str) -> SweepRow | None:
    """Return a sweep without its trials."""
    return session.get(SweepRow, sweep_id)


def list_sweeps(
    session: Session, graph_id: str | None, limit: int, cursor: str | None
) -> tuple[list[SweepRow], str | None]:
    """Return a page of sweeps, newest first. Raises: CursorInvalid."""
    query = select(SweepRow)
    if graph_id is not None:
        query = query.where(SweepRow.graph_id == graph_id)
    return fetch_page(session, query, (SweepRow.created_at, SweepRow.id), limit, cursor)


def list_trials(session: Session, sweeps: Sequence[SweepRow]) -> dict[str, list[TrialRecord]]:
    """Return the trials of each sweep, by its id, in the order of its plan."""
    names = {sweep.id: sweep.request["parameters"] for sweep in sweeps}
    query = (
        select(
            SweepTrialRow.sweep_id,
            SweepTrialRow.position,
            SweepTrialRow.job_id,
            JobRow.state,
            JobRow.payload["config"].label("config"),
            JobRow.progress["epoch"].as_integer().label("epoch"),
            JobRow.result,
            ModelRow.id.label("model_id"),
            JobRow.error,
            JobRow.started_at,
            JobRow.finished_at,
        )
        .join(JobRow, JobRow.id == SweepTrialRow.job_id)
        .outerjoin(ModelRow, ModelRow.id == JobRow.result["model_id"].as_string())
        .where(SweepTrialRow.sweep_id.in_(list(names)))
        .order_by(SweepTrialRow.sweep_id, SweepTrialRow.position)
    )
    trials: dict[str, list[TrialRecord]] = {sweep_id: [] for sweep_id in names}
    for row in session.execute(query):
        trials[row.sweep_id].append(_read_trial(row, names[row.sweep_id]))
    return trials


def _read_trial(row: Row[Any], names: Sequence[str]) -> TrialRecord:
    result = row.result or {}
    return TrialRecord(
        position=row.position,
        job_id=row.job_id,
        state=JobState(row.state),
        parameters={name: row.config[name] for name in names},
        seed=row.config["seed"],
        epoch=row.epoch,
        epochs=row.config["epochs"],
        validation=FigureSummary.from_stored(result.get("validation")),
        test=FigureSummary.from_stored(result.get("test")),
        model_id=row.model_id,
        error=row.error,
        started_at=row.started_at,
        finished_at=row.finished_at,
    )


def find_first_model(session: Session, sweep_id: str) -> ModelRow | None:
    """Return the first model that was stored by a job of the sweep."""
    query = (
        select(ModelRow)
        .join(SweepTrialRow, SweepTrialRow.job_id == ModelRow.job_id)
        .where(SweepTrialRow.sweep_id == sweep_id)
        .order_by(ModelRow.created_at, ModelRow.id)
    )
    return session.scalars(query.limit(1)).first()


def mark_cancelled(session: Session, sweep_id: str) -> None:
    """Record that the sweep was asked to stop."""
    session.execute(update(SweepRow).where(SweepRow.id == sweep_id).values(cancel_requested=True))
