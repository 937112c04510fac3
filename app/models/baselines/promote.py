"""Promotes a baseline: stores it as a separate model and makes it the active one."""

import msgspec
from sqlalchemy.orm import Session

from app.errors import BaselineNotFound, BaselineNotKept
from app.models import repository
from app.models.card.kinds import name_kind
from app.models.card.reports import BaselineReports, FigureSummary
from app.models.kept_baselines import read_baseline_manifest
from app.models.predictions import PackedPredictions
from app.models.service import NewModel, get_model, get_prediction, insert_model
from app.storage.db import current_time
from app.storage.documents import BaselinesDocument, ManifestDocument
from app.storage.tables import FittedBaselineRow, ModelRow
from ml import BaselineDocument


def promote_baseline(
    session: Session, model_id: str, key: str, reason: str
) -> tuple[ModelRow, bool]:
    """Store a baseline of a model as a model and make it active; return whether it is new.

    If the baseline was promoted before, the model that it became is promoted again.
    Raises: ModelNotFound, BaselineNotFound, BaselineNotKept, StoredDataDamaged.
    """
    measured_with = get_model(session, model_id)
    repository.lock_graph(session, measured_with.graph_id)
    baseline = repository.find_baseline(session, model_id, key)
    if baseline is None:
        raise _explain_absence(measured_with, key)
    is_new = baseline.promoted_id is None
    if baseline.promoted_id is None:
        row = insert_model(session, _make_model(session, measured_with, baseline))
        repository.set_promoted(session, baseline, row.id)
    else:
        row = get_model(session, baseline.promoted_id)
    repository.promote(session, row, reason, current_time(session))
    return row, is_new


def _make_model(session: Session, measured_with: ModelRow, baseline: FittedBaselineRow) -> NewModel:
    shared: ManifestDocument = {
        "split": measured_with.manifest.get("split"),
        "split_request": measured_with.manifest.get("split_request"),
        "label_definition": measured_with.manifest.get("label_definition"),
        "origin": {"kind": "baseline", "model_id": measured_with.id, "key": baseline.key},
    }
    for name in ("hidden_columns", "revealed_columns"):
        if name in measured_with.manifest:
            shared[name] = measured_with.manifest[name]
    parts = get_prediction(session, measured_with.id).parts
    return NewModel(
        graph_id=measured_with.graph_id,
        label=measured_with.label,
        kind=baseline.key,
        class_names=tuple(measured_with.class_names),
        weights=baseline.weights,
        manifest=read_baseline_manifest(baseline) | shared,
        metrics=baseline.metrics,
        curves=baseline.curves,
        predictions=PackedPredictions(baseline.probabilities, parts),
        baselines=_exchange_roles(measured_with, baseline.key),
        suitability=measured_with.suitability,
        label_version=measured_with.label_version,
    )


def _exchange_roles(measured_with: ModelRow, key: str) -> BaselinesDocument:
    """Return the reports that the baseline is compared with: the model and the other baselines."""
    reports: BaselinesDocument = measured_with.baselines or {}
    others = [
        item | {"owner_id": measured_with.id}
        for item in reports.get("items", [])
        if item["key"] != key
    ]
    network: BaselineDocument = {
        "key": measured_with.kind,
        "title": name_kind(measured_with.kind),
        "seed": measured_with.manifest.get("seed"),
        "skipped": None,
        "tried": 1,
        "candidates": 1,
        "settings": {},
        "description": "the model that this baseline was measured with",
        "model_id": measured_with.id,
    }
    for part in ("validation", "test"):
        figures = FigureSummary.from_stored(measured_with.metrics.get(part))
        network[part] = msgspec.to_builtins(figures)
    return {**reports, "items": [network, *others]}


def _explain_absence(measured_with: ModelRow, key: str) -> BaselineNotFound | BaselineNotKept:
    reports = BaselineReports.from_stored(measured_with.baselines)
    measured = [report.key for report in reports.items if not report.skipped]
    if key in measured:
        return BaselineNotKept(
            f"Only the figures of baseline {key!r} were stored, not the baseline itself; "
            "train again to store it."
        )
    available = ", ".join(measured) or "none"
    return BaselineNotFound(
        f"Model {measured_with.id!r} has no baseline {key!r}; available: {available}."
    )
