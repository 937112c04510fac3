"""What a model cannot be trusted with, in sentences for its card."""

from collections.abc import Iterator
from typing import Any

from app.models.card.headline import list_leaks
from app.models.card.kinds import name_kind
from app.storage.tables import ModelRow
from ml import list_ignored_settings

_FEW = 10
_CALIBRATION = 0.1


def list_limits(row: ModelRow, interval: dict[str, Any] | None) -> list[str]:
    """Return what limits the model, from what was measured and from how it was made."""
    return [
        *_limits_of_test(row, interval),
        *_limits_of_classes(row),
        *_limits_of_calibration(row),
        *_limits_of_baselines(row),
        *_limits_of_label(row),
        *_idle_settings(row),
        "It knows this version of this grid only: another grid or a new bus needs a new model.",
        "Its figures are of one split and one seed; another draw gives others.",
    ]


def _limits_of_test(row: ModelRow, interval: dict[str, Any] | None) -> Iterator[str]:
    if interval is None:
        yield "No labelled bus was left to test it on: its accuracy is unknown."
        return
    count = row.metrics["test"]["count"]
    low, high = interval["low"], interval["high"]
    yield (
        f"Its test accuracy rests on {count} buses: with 95 % confidence it lies between "
        f"{low:.3f} and {high:.3f}, were they independent; buses of one grid are not quite."
    )


def _limits_of_classes(row: ModelRow) -> Iterator[str]:
    measured = (row.metrics.get("test") or {}).get("per_class") or []
    for name, figures in zip(row.class_names, measured, strict=False):
        support = figures.get("support", 0)
        if support < _FEW:
            yield f"Class {name!r} has {support} test buses: its row of the table says little."
        elif not figures.get("recall"):
            yield f"Class {name!r} is never found: each of its {support} test buses is missed."


def _limits_of_calibration(row: ModelRow) -> Iterator[str]:
    error = (row.metrics.get("test") or {}).get("expected_calibration_error")
    if error is not None and error > _CALIBRATION:
        yield f"Its probabilities are off by {error:.2f} on average: read them as a ranking."


def _limits_of_baselines(row: ModelRow) -> Iterator[str]:
    reports = row.baselines or {}
    if reports.get("omitted"):
        yield f"Not compared with anything: {reports['omitted']}."
    elif not reports:
        yield "Not compared with anything: it was made before baselines were measured."
    missing = [item["title"] for item in reports.get("items", []) if item.get("skipped")]
    if missing:
        yield f"Not compared with {', '.join(missing)}; the table of baselines says why."
    if any(item.get("tried", 0) > 1 for item in reports.get("items", [])):
        yield (
            "Settings of the baselines, like the epoch of the model, were chosen on validation: "
            "these accuracies are a little too good for all; those on test are not."
        )


def _limits_of_label(row: ModelRow) -> Iterator[str]:
    report = row.suitability
    if report is None:
        yield "Nobody has looked whether the features give the label away."
        return
    yield from list_leaks(row)
    small = report.get("classes_too_small", [])
    if small:
        yield f"Too few buses to learn and to test: {', '.join(map(repr, small))}."


def _idle_settings(row: ModelRow) -> Iterator[str]:
    """Name settings that were changed in vain; a baseline was only given those of its model."""
    if (row.manifest.get("origin") or {}).get("kind") == "baseline":
        return
    idle = list_ignored_settings(row.manifest.get("config", {}))
    if idle:
        yield f"Without effect on {name_kind(row.kind)}, though changed: {', '.join(idle)}."
