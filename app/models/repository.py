"""Rows of models, predictions, stored baselines, promotions and active models.

Two queries read tables of other features: the grid is locked with ``key_share``, and a model
is not deleted while a job uses it; the card lists replays, a feature of a higher layer.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import uuid4

from sqlalchemy import delete, select
from sqlalchemy.orm import Session, defer

from app.jobs.states import UNFINISHED
from app.storage.paging import fetch_page
from app.storage.tables import (
    ActiveModelRow,
    FittedBaselineRow,
    GraphRow,
    JobRow,
    ModelRow,
    PredictionRow,
    PromotionRow,
    ReplayRow,
)


def lock_graph(session: Session, graph_id: str) -> bool:
    """Let one transaction at a time store models of a grid; False if the grid is gone."""
    query = select(GraphRow.id).where(GraphRow.id == graph_id).with_for_update(key_share=True)
    return session.scalar(query) is not None


def insert_model(session: Session, row: ModelRow, prediction: PredictionRow) -> None:
    """Add a model and its predictions."""
    session.add(row)
    session.flush()
    session.add(prediction)
    session.flush()


def insert_baselines(session: Session, rows: Sequence[FittedBaselineRow]) -> None:
    """Add the fitted baselines of a model that is already stored."""
    session.add_all(rows)
    session.flush()


def find_baseline(session: Session, model_id: str, key: str) -> FittedBaselineRow | None:
    """Return a fitted baseline of a model, without its arrays."""
    return session.get(FittedBaselineRow, (model_id, key))


def set_promoted(session: Session, baseline: FittedBaselineRow, model_id: str) -> None:
    """Record the model that a baseline was promoted to."""
    baseline.promoted_id = model_id
    session.flush()


def list_promoted_ids(session: Session, model_id: str) -> list[str]:
    """Return the ids of the models that baselines of this model were promoted to."""
    promoted = FittedBaselineRow.promoted_id
    query = select(promoted).where(FittedBaselineRow.model_id == model_id, promoted.is_not(None))
    return [model_id for model_id in session.scalars(query) if model_id is not None]


def find_model(session: Session, model_id: str) -> ModelRow | None:
    """Return a model without its weights."""
    return session.get(ModelRow, model_id)


def find_same(session: Session, graph_id: str, label: str, sha256: str) -> ModelRow | None:
    """Return the oldest model of a grid and label with these weights."""
    query = select(ModelRow).where(
        ModelRow.graph_id == graph_id, ModelRow.label == label, ModelRow.sha256 == sha256
    )
    return session.scalars(query.order_by(ModelRow.created_at, ModelRow.id)).first()


def find_weights(session: Session, model_id: str) -> bytes | None:
    """Return the weights of a model."""
    return session.scalar(select(ModelRow.weights).where(ModelRow.id == model_id))


def find_identity(session: Session, model_id: str) -> tuple[str, str] | None:
    """Return the grid and the label of a model, without loading the row."""
    query = select(ModelRow.graph_id, ModelRow.label).where(ModelRow.id == model_id)
    row = session.execute(query).one_or_none()
    return None if row is None else (row.graph_id, row.label)


def find_prediction(session: Session, model_id: str) -> PredictionRow | None:
    """Return the packed predictions of a model."""
    return session.get(PredictionRow, model_id)


def list_models(
    session: Session, graph_id: str | None, label: str | None, limit: int, cursor: str | None
) -> tuple[list[ModelRow], str | None]:
    """Return a page of models without their large columns, newest first."""
    large = (ModelRow.manifest, ModelRow.curves, ModelRow.suitability)
    query = select(ModelRow).options(*map(defer, large))
    if graph_id is not None:
        query = query.where(ModelRow.graph_id == graph_id)
    if label is not None:
        query = query.where(ModelRow.label == label)
    return fetch_page(session, query, (ModelRow.created_at, ModelRow.id), limit, cursor)


def list_active(session: Session, graph_id: str | None, label: str | None) -> list[ActiveModelRow]:
    """Return the active models of a grid and label, or of all, last promoted first."""
    query = select(ActiveModelRow).order_by(
        ActiveModelRow.promoted_at.desc(), ActiveModelRow.model_id
    )
    if graph_id is not None:
        query = query.where(ActiveModelRow.graph_id == graph_id)
    if label is not None:
        query = query.where(ActiveModelRow.label == label)
    return list(session.scalars(query))


def find_active(session: Session, model_id: str) -> ActiveModelRow | None:
    """Return the active-model row of a model, None if the model is not active."""
    return session.scalar(select(ActiveModelRow).where(ActiveModelRow.model_id == model_id))


def list_active_ids(session: Session, model_ids: list[str]) -> set[str]:
    """Return the ids of those models that are active."""
    query = select(ActiveModelRow.model_id).where(ActiveModelRow.model_id.in_(model_ids))
    return set(session.scalars(query))


def promote(session: Session, row: ModelRow, reason: str, moment: datetime) -> None:
    """Make a model the active one of its grid and label; store the reason permanently."""
    session.merge(
        ActiveModelRow(
            graph_id=row.graph_id,
            label=row.label,
            model_id=row.id,
            reason=reason,
            promoted_at=moment,
        )
    )
    session.add(PromotionRow(id=uuid4().hex, model_id=row.id, reason=reason, promoted_at=moment))
    session.flush()


def list_promotions(session: Session, model_id: str) -> Sequence[PromotionRow]:
    """Return every promotion of a model, oldest first."""
    query = select(PromotionRow).where(PromotionRow.model_id == model_id)
    return session.scalars(query.order_by(PromotionRow.promoted_at, PromotionRow.id)).all()


def list_replays(session: Session, model_id: str) -> Sequence[ReplayRow]:
    """Return the results of the replays of a model, newest first."""
    query = select(ReplayRow).where(ReplayRow.model_id == model_id)
    return session.scalars(query.order_by(ReplayRow.replayed_at.desc(), ReplayRow.id)).all()


def list_unfinished_jobs(session: Session, row: ModelRow) -> list[str]:
    """Return the ids of queued and running jobs that use a model."""
    query = select(JobRow).where(JobRow.graph_id == row.graph_id, JobRow.state.in_(UNFINISHED))
    jobs = session.scalars(query)
    return [job.id for job in jobs if job.payload.get("model_id") == row.id]


def delete_model(session: Session, model_id: str) -> None:
    """Delete a model; the database deletes its predictions."""
    session.execute(delete(ModelRow).where(ModelRow.id == model_id))
