"""A baseline becomes a model of its own: the user wants the best answer, not ours."""

from typing import Any
from uuid import uuid4

from sqlalchemy.orm import Session

from app.errors import BaselineNotFound, BaselineNotKept
from app.models import repository
from app.models.card.kinds import name_kind
from app.models.kept_baselines import check_row
from app.models.predictions import hash_predictions
from app.models.service import get_model, get_prediction
from app.storage.db import current_time
from app.storage.tables import FittedBaselineRow, ModelRow, PredictionRow

_FIGURES = ("count", "accuracy", "macro_f1", "log_loss")


def promote_baseline(
    session: Session, model_id: str, key: str, reason: str
) -> tuple[ModelRow, bool]:
    """Store a baseline of a model as a model and make it active; say whether it is new.

    Asked again, the model that it became is promoted again.
    Raises: ModelNotFound, BaselineNotFound, BaselineNotKept, StoredDataDamaged.
    """
    beside = get_model(session, model_id)
    repository.lock_graph(session, beside.graph_id)
    fitted = repository.find_fitted(session, model_id, key)
    if fitted is None:
        raise _explain_absence(beside, key)
    is_new = fitted.promoted_id is None
    row = get_model(session, fitted.promoted_id) if fitted.promoted_id else None
    if row is None:
        row = _store(session, beside, fitted)
    repository.promote(session, row, reason, current_time(session))
    return row, is_new


def _store(session: Session, beside: ModelRow, fitted: FittedBaselineRow) -> ModelRow:
    row = _make_row(session, beside, fitted)
    parts = get_prediction(session, beside.id).parts
    prediction = PredictionRow(
        model_id=row.id,
        probabilities=fitted.probabilities,
        parts=parts,
        sha256=hash_predictions(fitted.probabilities, parts),
    )
    repository.insert_model(session, row, prediction)
    fitted.promoted_id = row.id
    session.flush()
    return row


def _make_row(session: Session, beside: ModelRow, fitted: FittedBaselineRow) -> ModelRow:
    shared = {
        name: beside.manifest.get(name) for name in ("split", "split_request", "label_definition")
    }
    origin = {"kind": "baseline", "model_id": beside.id, "key": fitted.key}
    return ModelRow(
        id=uuid4().hex,
        graph_id=beside.graph_id,
        label=beside.label,
        job_id=None,
        kind=fitted.key,
        class_names=beside.class_names,
        manifest=check_row(fitted) | shared | {"origin": origin},
        metrics=fitted.metrics,
        curves=fitted.curves,
        baselines=_turn_tables(beside, fitted.key),
        suitability=beside.suitability,
        weights=fitted.weights,
        sha256=fitted.sha256,
        created_at=current_time(session),
    )


def _turn_tables(beside: ModelRow, key: str) -> dict[str, Any]:
    """Return what the baseline is compared with: the model it was measured beside, the rest."""
    reports = beside.baselines or {}
    others = [
        item | {"owner_id": beside.id} for item in reports.get("items", []) if item["key"] != key
    ]
    network: dict[str, Any] = {
        "key": beside.kind,
        "title": name_kind(beside.kind),
        "seed": beside.manifest.get("seed"),
        "skipped": None,
        "tried": 1,
        "candidates": 1,
        "settings": {},
        "description": "the model it was measured beside",
        "model_id": beside.id,
    }
    for part in ("validation", "test"):
        figures = beside.metrics.get(part) or {}
        network[part] = {name: figures.get(name) for name in _FIGURES}
    return reports | {"items": [network, *others]}


def _explain_absence(beside: ModelRow, key: str) -> BaselineNotFound | BaselineNotKept:
    items = {item["key"]: item for item in (beside.baselines or {}).get("items", [])}
    measured = [name for name, item in items.items() if not item.get("skipped")]
    if key in measured:
        return BaselineNotKept(
            f"Only the figures of baseline {key!r} were stored, not the baseline itself; "
            "train again to have it kept."
        )
    known = ", ".join(measured) or "none"
    return BaselineNotFound(f"Model {beside.id!r} has no baseline {key!r}; it has {known}.")
