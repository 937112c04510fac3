"""What may happen to a model: stored with its predictions, promoted, loaded, deleted."""

import hashlib
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import numpy as np
import numpy.typing as npt
from sqlalchemy.orm import Session

from app.errors import GraphNotFound, ModelInUse, ModelNotFound, StoredDataDamaged
from app.graphs.service import get_graph
from app.models import repository
from app.models.active import find_standing
from app.models.card import card as cards
from app.models.card.headline import list_leaks, list_warnings
from app.models.kept_baselines import FittedBaseline, make_rows
from app.models.predictions import (
    Predictions,
    hash_predictions,
    pack_parts,
    pack_probabilities,
    unpack_probabilities,
)
from app.storage.cache import BoundedCache
from app.storage.db import current_time
from app.storage.tables import ActiveModelRow, ModelRow, PredictionRow
from ml import Split

_MODELS_REMEMBERED = 32
_predictions: BoundedCache[Predictions] = BoundedCache(_MODELS_REMEMBERED)


@dataclass(frozen=True, eq=False, kw_only=True)
class NewModel:
    """A trained predictor as the trainer hands it over.

    ``metrics`` has the keys train, validation and test, each with at least ``accuracy``;
    ``baselines`` is what ``ml.training.measure`` reports, ``suitability`` the report on the
    label, each None if it was not measured; ``fitted`` are the baselines themselves. If
    ``takes_over`` is false, it becomes active only where no model is.
    Shapes: probabilities (N, K), rows in the order of the buses of the grid.
    """

    graph_id: str
    label: str
    kind: str
    class_names: tuple[str, ...]
    weights: bytes
    manifest: dict[str, Any]
    metrics: dict[str, Any]
    curves: dict[str, Any]
    probabilities: npt.NDArray[np.floating[Any]]
    split: Split
    job_id: str | None = None
    baselines: dict[str, Any] | None = None
    suitability: dict[str, Any] | None = None
    fitted: tuple[FittedBaseline, ...] = ()
    takes_over: bool = True


def store_model(session: Session, model: NewModel) -> ModelRow:
    """Write a model and its predictions; promote it if it is the first or the best so far.

    Runs in the transaction of the caller, which ends the job in it too.
    Raises: GraphNotFound if the grid was deleted meanwhile.
    """
    if not repository.lock_graph(session, model.graph_id):
        raise GraphNotFound(f"There is no grid {model.graph_id!r}.")
    row = _make_row(session, model)
    probabilities = pack_probabilities(model.probabilities)
    parts = pack_parts(model.split, len(model.probabilities))
    prediction = PredictionRow(
        model_id=row.id,
        probabilities=probabilities,
        parts=parts,
        sha256=hash_predictions(probabilities, parts),
    )
    repository.insert_model(session, row, prediction)
    repository.insert_fitted(session, make_rows(row.id, model.fitted))
    reason = _reason_to_promote(session, row, takes_over=model.takes_over)
    if reason is not None:
        repository.promote(session, row, reason, row.created_at)
    return row


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
    """Return the active models that fit, the last promoted first."""
    return repository.list_active(session, graph_id, label)


def find_promotion(session: Session, model_id: str) -> ActiveModelRow | None:
    """Return what made a model active, if it is."""
    return repository.find_promotion(session, model_id)


def make_card(session: Session, model_id: str) -> dict[str, Any]:
    """Return the card of a model; see ``CardOut``. Raises: ModelNotFound."""
    row = get_model(session, model_id)
    promotions = repository.list_promotions(session, model_id)
    standing = find_standing(session, model_id)
    replays = [
        {"job_id": each.id, "replayed_at": each.replayed_at, **each.result}
        for each in repository.list_replays(session, model_id)
    ]
    card = cards.make_card(row, get_graph(session, row.graph_id), promotions)
    answers = None if standing is None else standing.answers
    return card | {"active": standing is not None, "answers": answers, "replays": replays}


def promote_model(session: Session, model_id: str, reason: str) -> ModelRow:
    """Make a model the active one of its grid and label, whatever its figures.

    Raises: ModelNotFound.
    """
    row = get_model(session, model_id)
    repository.lock_graph(session, row.graph_id)
    repository.promote(session, row, reason, current_time(session))
    return row


def find_active_ids(session: Session, rows: list[ModelRow]) -> set[str]:
    """Return which of these models are active."""
    return repository.list_active_ids(session, [row.id for row in rows])


def load_weights(session: Session, model_id: str) -> bytes:
    """Return the weights of a model, checked against their SHA-256.

    Raises: ModelNotFound, StoredDataDamaged.
    """
    row = get_model(session, model_id)
    weights = repository.find_weights(session, model_id)
    if weights is None or hashlib.sha256(weights).hexdigest() != row.sha256:
        raise StoredDataDamaged(f"The weights of model {model_id!r} are not what was stored.")
    return weights


def load_predictions(session: Session, model_id: str) -> Predictions:
    """Return what a model predicts, from memory after the first time.

    The caller knows that the model still exists.
    Raises: ModelNotFound, StoredDataDamaged.
    """

    def load() -> Predictions:
        row = get_model(session, model_id)
        stored = get_prediction(session, model_id)
        return Predictions(
            model_id=row.id,
            graph_id=row.graph_id,
            label=row.label,
            class_names=tuple(row.class_names),
            probabilities=unpack_probabilities(stored.probabilities, len(row.class_names)),
            parts=np.frombuffer(stored.parts, np.uint8),
            warnings=(*list_warnings(row), *list_leaks(row)),
        )

    return _predictions.get_or_load(model_id, load)


def get_prediction(session: Session, model_id: str) -> PredictionRow:
    """Return the packed predictions of a model, checked against their SHA-256.

    Raises: ModelNotFound, StoredDataDamaged.
    """
    stored = repository.find_prediction(session, model_id)
    if stored is None:
        raise _not_found(model_id)
    if hash_predictions(stored.probabilities, stored.parts) != stored.sha256:
        raise StoredDataDamaged(f"The predictions of model {model_id!r} are not what was stored.")
    return stored


def get_identity(session: Session, model_id: str) -> tuple[str, str]:
    """Return the grid and the label of a model. Raises: ModelNotFound."""
    identity = repository.find_identity(session, model_id)
    if identity is None:
        raise _not_found(model_id)
    return identity


def delete_model(session: Session, model_id: str) -> None:
    """Remove a model with its predictions and its baselines.

    Raises: ModelNotFound; ModelInUse if it is active or another model or a job refers to it.
    """
    row = get_model(session, model_id)
    repository.lock_graph(session, row.graph_id)
    if find_active_ids(session, [row]):
        raise ModelInUse(f"Model {model_id!r} answers for its grid; another must take over first.")
    children = repository.list_promoted_ids(session, model_id)
    if children:
        raise ModelInUse(
            f"{len(children)} model(s) that were baselines of model {model_id!r} refer to it; "
            f"delete them first: {', '.join(children)}."
        )
    jobs = repository.list_unfinished_jobs(session, row)
    if jobs:
        raise ModelInUse(f"Jobs work on model {model_id!r}: {', '.join(jobs)}.")
    repository.delete_model(session, model_id)


def _not_found(model_id: str) -> ModelNotFound:
    return ModelNotFound(f"There is no model {model_id!r}.")


def _make_row(session: Session, model: NewModel) -> ModelRow:
    return ModelRow(
        id=uuid4().hex,
        graph_id=model.graph_id,
        label=model.label,
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


def _reason_to_promote(session: Session, row: ModelRow, *, takes_over: bool) -> str | None:
    active = repository.list_active(session, row.graph_id, row.label)
    if not active:
        return "the first model of this grid and label"
    if not takes_over:
        return None
    before = _validation_accuracy(get_model(session, active[0].model_id))
    now = _validation_accuracy(row)
    if now <= before:
        return None
    return f"better on validation: accuracy {now:.4f}, before {before:.4f}"


def _validation_accuracy(row: ModelRow) -> float:
    accuracy = row.metrics.get("validation", {}).get("accuracy")
    return -1.0 if accuracy is None else float(accuracy)
