"""Stores, loads, promotes and deletes models with their predictions."""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from typing import cast
from uuid import uuid4

from sqlalchemy.orm import Session

from app.errors import GraphNotFound, ModelInUse, ModelNotFound, StoredDataDamaged
from app.graphs.service import find_label_version, get_graph
from app.grid.grid import Grid, LabelSet
from app.grid.hidden_columns import list_hidden_columns
from app.models import repository
from app.models.active import find_active_status
from app.models.card import card as cards
from app.models.card.reports import ModelFigures
from app.models.card.schema import CardOut
from app.models.kept_baselines import NewBaseline, make_baseline_rows
from app.models.predictions import PackedPredictions, Predictions, make_predictions
from app.storage.cache import BoundedCache
from app.storage.db import current_time
from app.storage.documents import (
    BaselinesDocument,
    Curves,
    ManifestDocument,
    SuitabilityDocument,
)
from app.storage.tables import ActiveModelRow, ModelRow, PredictionRow
from ml import Artifact, MetricsDocument

_MODELS_REMEMBERED = 32
_predictions: BoundedCache[Predictions] = BoundedCache(_MODELS_REMEMBERED)


@dataclass(frozen=True, eq=False, kw_only=True)
class NewModel:
    """A model that is about to be stored.

    ``metrics`` has the keys train, validation and test, each with at least ``accuracy``.
    ``baselines`` is the report of ``ml.training.measure``, ``suitability`` the report on the
    label; each is None if it was not measured. ``fitted`` are the fitted baselines. With
    ``takes_over`` false, the model becomes active only if its grid and label have no active
    model yet.
    """

    graph_id: str
    label: str
    kind: str
    class_names: tuple[str, ...]
    weights: bytes
    manifest: ManifestDocument
    metrics: dict[str, MetricsDocument]
    curves: Curves
    predictions: PackedPredictions
    job_id: str | None = None
    baselines: BaselinesDocument | None = None
    suitability: SuitabilityDocument | None = None
    fitted: tuple[NewBaseline, ...] = ()
    takes_over: bool = True
    label_version: int = 1
    """Version of the label set that the model has learnt."""


def extend_manifest(artifact: Artifact, additions: ManifestDocument) -> ManifestDocument:
    """Return the manifest of fitted arrays with what the service knows of the run."""
    return cast("ManifestDocument", artifact.manifest | additions)


def describe_label(grid: Grid, label_set: LabelSet, features: Collection[str]) -> ManifestDocument:
    """Return what a manifest says of a label: its definition, and the columns that reveal it."""
    hidden = list_hidden_columns(grid, label_set)
    manifest: ManifestDocument = {"label_definition": label_set.definition}
    if hidden:
        manifest["hidden_columns"] = {
            name: why for name, why in hidden.items() if name not in features
        }
        manifest["revealed_columns"] = {
            name: why for name, why in hidden.items() if name in features
        }
    return manifest


def store_model(session: Session, model: NewModel) -> ModelRow:
    """Store a model; promote it if it is the first or has the highest validation accuracy.

    Runs in the transaction of the caller, which also ends the job.
    Raises: GraphNotFound if the grid was deleted meanwhile.
    """
    if not repository.lock_graph(session, model.graph_id):
        raise GraphNotFound(f"There is no grid {model.graph_id!r}.")
    row = insert_model(session, model)
    reason = _reason_to_promote(session, row, takes_over=model.takes_over)
    if reason is not None:
        repository.promote(session, row, reason, row.created_at)
    return row


def insert_model(session: Session, model: NewModel) -> ModelRow:
    """Write the rows of a model, its predictions and its baselines, without promoting it."""
    row = ModelRow(
        id=uuid4().hex,
        graph_id=model.graph_id,
        label=model.label,
        label_version=model.label_version,
        job_id=model.job_id,
        kind=model.kind,
        class_names=list(model.class_names),
        manifest=model.manifest,
        metrics=model.metrics,
        curves=model.curves,
        baselines=model.baselines,
        suitability=model.suitability,
        weights=model.weights,
        sha256=hashlib.sha256(model.weights).hexdigest(),
        created_at=current_time(session),
    )
    prediction = PredictionRow(
        model_id=row.id,
        probabilities=model.predictions.probabilities,
        parts=model.predictions.parts,
        sha256=model.predictions.sha256,
    )
    repository.insert_model(session, row, prediction)
    repository.insert_baselines(session, make_baseline_rows(row.id, model.fitted))
    return row


def lock_graph(session: Session, graph_id: str) -> None:
    """Make other transactions that store or promote models of this grid wait for this one."""
    repository.lock_graph(session, graph_id)


def get_model(session: Session, model_id: str) -> ModelRow:
    """Return a model without its weights. Raises: ModelNotFound."""
    row = repository.find_model(session, model_id)
    if row is None:
        raise _not_found(model_id)
    return row


def list_models(
    session: Session, graph_id: str | None, label: str | None, limit: int, cursor: str | None
) -> tuple[list[ModelRow], str | None]:
    """Return a page of models, newest first, and the cursor of the next page."""
    return repository.list_models(session, graph_id, label, limit, cursor)


def list_active(
    session: Session, graph_id: str | None = None, label: str | None = None
) -> list[ActiveModelRow]:
    """Return the active models of a grid and label, or of all, last promoted first."""
    return repository.list_active(session, graph_id, label)


def is_active(session: Session, model_id: str) -> bool:
    """Return whether a model is the active one of its grid and label."""
    return repository.find_active(session, model_id) is not None


def make_card(session: Session, model_id: str) -> CardOut:
    """Return the card of a model. Raises: ModelNotFound."""
    row = get_model(session, model_id)
    status = find_active_status(session, model_id)
    history = cards.ModelHistory(
        promotions=repository.list_promotions(session, model_id),
        replays=repository.list_replays(session, model_id),
        answers=None if status is None else status.answers,
        newest_labels=find_label_version(session, row.graph_id, row.label) or 0,
    )
    return cards.make_card(row, get_graph(session, row.graph_id), history)


def promote_model(session: Session, model_id: str, reason: str) -> ModelRow:
    """Make a model the active one of its grid and label, regardless of its accuracy.

    Raises: ModelNotFound.
    """
    row = get_model(session, model_id)
    repository.lock_graph(session, row.graph_id)
    repository.promote(session, row, reason, current_time(session))
    return row


def find_active_ids(session: Session, rows: list[ModelRow]) -> set[str]:
    """Return the ids of those models that are active."""
    return repository.list_active_ids(session, [row.id for row in rows])


def load_weights(session: Session, model_id: str) -> bytes:
    """Return the weights of a model, checked against their SHA-256.

    Raises: ModelNotFound, StoredDataDamaged.
    """
    row = get_model(session, model_id)
    weights = repository.find_weights(session, model_id)
    if weights is None or hashlib.sha256(weights).hexdigest() != row.sha256:
        raise StoredDataDamaged(f"The weights of model {model_id!r} do not match their SHA-256.")
    return weights


def load_predictions(session: Session, model_id: str) -> Predictions:
    """Return the predictions of a model, from memory after the first call.

    The caller has checked that the model still exists.
    Raises: ModelNotFound, StoredDataDamaged.
    """

    def load() -> Predictions:
        return make_predictions(get_model(session, model_id), get_prediction(session, model_id))

    return _predictions.get_or_load(model_id, load)


def get_prediction(session: Session, model_id: str) -> PredictionRow:
    """Return the packed predictions of a model, checked against their SHA-256.

    Raises: ModelNotFound, StoredDataDamaged.
    """
    stored = repository.find_prediction(session, model_id)
    if stored is None:
        raise _not_found(model_id)
    if PackedPredictions(stored.probabilities, stored.parts).sha256 != stored.sha256:
        raise StoredDataDamaged(
            f"The predictions of model {model_id!r} do not match their SHA-256."
        )
    return stored


def get_identity(session: Session, model_id: str) -> tuple[str, str]:
    """Return the grid and the label of a model. Raises: ModelNotFound."""
    identity = repository.find_identity(session, model_id)
    if identity is None:
        raise _not_found(model_id)
    return identity


def delete_model(session: Session, model_id: str) -> None:
    """Delete a model with its predictions and its stored baselines.

    Raises: ModelNotFound; ModelInUse if it is active or another model or a job refers to it.
    """
    row = get_model(session, model_id)
    repository.lock_graph(session, row.graph_id)
    if find_active_ids(session, [row]):
        raise ModelInUse(
            f"Model {model_id!r} is the active model of its grid and label; "
            "promote another model first."
        )
    children = repository.list_promoted_ids(session, model_id)
    if children:
        raise ModelInUse(
            f"{len(children)} promoted baseline(s) of model {model_id!r} refer to it; "
            f"delete them first: {', '.join(children)}."
        )
    jobs = repository.list_unfinished_jobs(session, row)
    if jobs:
        raise ModelInUse(
            f"Jobs are using model {model_id!r}; wait for them or cancel them: {', '.join(jobs)}."
        )
    repository.delete_model(session, model_id)


def _not_found(model_id: str) -> ModelNotFound:
    return ModelNotFound(f"There is no model {model_id!r}.")


def _reason_to_promote(session: Session, row: ModelRow, *, takes_over: bool) -> str | None:
    active = repository.list_active(session, row.graph_id, row.label)
    if not active:
        return "the first model of this grid and label"
    if not takes_over:
        return None
    rival = get_model(session, active[0].model_id)
    if row.label_version > rival.label_version:
        return f"learnt version {row.label_version} of the labels, before {rival.label_version}"
    before = _validation_accuracy(rival)
    now = _validation_accuracy(row)
    if now <= before:
        return None
    return f"better on validation: accuracy {now:.4f}, before {before:.4f}"


def _validation_accuracy(row: ModelRow) -> float:
    accuracy = ModelFigures.from_stored(row.metrics).validation.accuracy
    return -1.0 if accuracy is None else accuracy
