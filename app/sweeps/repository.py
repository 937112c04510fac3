"""Rows of sweeps and of the jobs that belong to them."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, select, update
from sqlalchemy.orm import Session

from app.storage.paging import fetch_page
from app.storage.tables import JobRow, ModelRow, SweepRow, SweepTrialRow


def insert_sweep(session: Session, row: SweepRow) -> None:
    """Add a sweep; its trials follow."""
    session.add(row)
    session.flush()


def insert_trials(session: Session, sweep_id: str, job_ids: Sequence[str]) -> None:
    """Add the jobs of a sweep, in their order."""
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


def list_trials(session: Session, sweep_ids: Sequence[str]) -> Sequence[Row[Any]]:
    """Return the jobs of sweeps in their order, without their curves, and models still stored."""
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
        .where(SweepTrialRow.sweep_id.in_(sweep_ids))
        .order_by(SweepTrialRow.sweep_id, SweepTrialRow.position)
    )
    return session.execute(query).all()


def find_first_model(session: Session, sweep_id: str) -> ModelRow | None:
    """Return the model that a job of the sweep stored first."""
    query = (
        select(ModelRow)
        .join(SweepTrialRow, SweepTrialRow.job_id == ModelRow.job_id)
        .where(SweepTrialRow.sweep_id == sweep_id)
        .order_by(ModelRow.created_at, ModelRow.id)
    )
    return session.scalars(query.limit(1)).first()


def mark_cancelled(session: Session, sweep_id: str) -> None:
    """Remember that somebody asked to cancel the whole."""
    session.execute(update(SweepRow).where(SweepRow.id == sweep_id).values(cancel_requested=True))
