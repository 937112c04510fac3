"""The model card: what a model is, what it was made of, and what it is worth."""

from collections.abc import Sequence
from typing import Any

from app.models.card.caveats import list_limits
from app.models.card.headline import (
    add_calls,
    find_best_baseline,
    list_leaks,
    list_warnings,
    tell_headline,
)
from app.models.card.kinds import describe_kind
from app.storage.tables import GraphRow, ModelRow, PromotionRow
from ml.graph.metrics import accuracy_interval

_PARTS = ("train", "validation", "test")
_TOLD_ELSEWHERE = {
    "config",
    "split",
    "split_request",
    "class_names",
    "feature_names",
    "graph_hash",
    "label_hash",
    "label_definition",
    "origin",
}
_MEASURES = ("count", "accuracy", "macro_f1", "log_loss", "expected_calibration_error")


def make_card(row: ModelRow, graph: GraphRow, promotions: Sequence[PromotionRow]) -> dict[str, Any]:
    """Put the card of a model together; see ``CardOut``."""
    interval = _test_interval(row)
    return {
        "headline": tell_headline(row),
        "warnings": [*list_warnings(row), *list_leaks(row)],
        "model": _describe_model(row),
        "promotions": [
            {"reason": each.reason, "promoted_at": each.promoted_at} for each in promotions
        ],
        "data": _describe_data(row, graph),
        "config": row.manifest.get("config", {}),
        "making": {k: v for k, v in row.manifest.items() if k not in _TOLD_ELSEWHERE},
        "split": _describe_split(row),
        "metrics": {part: _pick(row.metrics.get(part) or {}) for part in _PARTS},
        "test_interval": interval,
        "per_class": _list_classes(row),
        "confusion": (row.metrics.get("test") or {}).get("confusion"),
        "curves": row.curves,
        "baselines": add_calls(row),
        "best_baseline": find_best_baseline(row),
        "suitability": row.suitability,
        "limits": list_limits(row, interval),
    }


def _describe_model(row: ModelRow) -> dict[str, Any]:
    what = describe_kind(row.kind)
    return {
        "id": row.id,
        "kind": row.kind,
        "what": f"{what}; gives every bus of one grid its class of {row.label!r}",
        "job_id": row.job_id,
        "created_at": row.created_at,
        "sha256": row.sha256,
        "origin": row.manifest.get("origin"),
    }


def _describe_data(row: ModelRow, graph: GraphRow) -> dict[str, Any]:
    return {
        "graph_id": graph.id,
        "grid": graph.name,
        "source": graph.source,
        "buses": graph.bus_count,
        "branches": graph.branch_count,
        "islands": graph.island_count,
        "features": row.manifest.get("feature_names", []),
        "label": row.label,
        "label_definition": row.manifest.get("label_definition"),
        "class_names": row.class_names,
        "content_hash": graph.content_hash,
        "graph_hash": row.manifest.get("graph_hash"),
        "label_hash": row.manifest.get("label_hash"),
    }


def _describe_split(row: ModelRow) -> dict[str, Any]:
    asked = row.manifest.get("split_request") or {}
    counts = {part: (row.metrics.get(part) or {}).get("count") for part in _PARTS}
    return {
        "kind": asked.get("kind"),
        "seed": asked.get("seed"),
        "fractions": asked.get("fractions"),
        "hash": (row.manifest.get("split") or {}).get("hash"),
        "counts": counts,
    }


def _test_interval(row: ModelRow) -> dict[str, Any] | None:
    test = row.metrics.get("test") or {}
    if not test.get("count") or test.get("accuracy") is None:
        return None
    low, high = accuracy_interval(test["accuracy"], test["count"])
    return {"low": low, "high": high, "confidence": 0.95, "method": "Wilson score"}


def _list_classes(row: ModelRow) -> list[dict[str, Any]]:
    measured = (row.metrics.get("test") or {}).get("per_class") or []
    pairs = zip(row.class_names, measured, strict=False)
    return [{"class": name, **figures} for name, figures in pairs]


def _pick(metrics: dict[str, Any]) -> dict[str, Any]:
    return {name: metrics.get(name) for name in _MEASURES}
