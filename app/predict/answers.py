"""The answer for one bus: the one place that builds it and the one encoder of it.

Every form of a prediction is made from ``describe_buses``: ``GET /predict/{bus_id}``, its
prepared bytes, the rows, the CSV and the GeoJSON of ``GET /predict``, and ``POST /predict``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from app.grid.grid import UNKNOWN_CLASS, Grid
from app.models.card.headline import warn_of_newer_labels
from app.models.predictions import PART_NAMES, Predictions, Source
from app.predict.trust import Promise, Quality, Reason, Trust, Versions
from ml.arrays import IntArray

ONLY_GRID = "the only grid with an active model that has this bus"
_DECIMALS = 6


@dataclass(frozen=True, eq=False)
class ChosenModel:
    """The predictions of the model that answers, its grid, and why it was chosen."""

    predictions: Predictions
    grid: Grid
    truth: IntArray
    trust: Trust
    reason: str
    other_graph_ids: tuple[str, ...] = ()
    """Other grids with an active model, if the request did not name a grid."""


class BusRow(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a model says about one bus; described by ``schemas.BusRowOut``.

    ``gc=False``: rows form no cycles, and examining thousands of them took half of the time.
    """

    bus_id: str
    bus_name: str | None
    predicted: str = msgspec.field(name="class")
    probabilities: dict[str, float]
    true_label: str | None
    known_label: str | None
    answer: str
    source: Source
    split: str | None
    prediction_set: list[str] | None
    abstain: bool
    quality: Quality
    reasons: list[Reason]


class BusAnswer(BusRow, frozen=True, kw_only=True, gc=False):
    """The answer of ``GET /predict/{bus_id}``; described by ``schemas.PredictionOut``."""

    label: str
    graph_id: str
    model_id: str
    chosen: str
    promise: Promise
    versions: Versions
    warnings: list[str]


def encode(answer: BusRow) -> bytes:
    """Write an answer or a row as JSON."""
    return msgspec.json.encode(answer)


def answer_buses(model: ChosenModel, buses: Sequence[int] | IntArray) -> Iterator[BusAnswer]:
    """Yield the complete answer for each of these buses, given as positions."""
    common = describe_model(model)
    for row in describe_buses(model, buses):
        yield BusAnswer(**_fields(row), **common)


def describe_model(model: ChosenModel) -> dict[str, Any]:
    """Return what the answers for all buses of a model have in common."""
    predictions = model.predictions
    return {
        "label": predictions.label,
        "graph_id": predictions.graph_id,
        "model_id": predictions.model_id,
        "chosen": model.reason,
        "promise": model.trust.promise,
        "versions": model.trust.versions,
        "warnings": list_warnings(model),
    }


def describe_buses(model: ChosenModel, buses: Sequence[int] | IntArray) -> Iterator[BusRow]:
    """Yield what the model says about each of these buses, given as positions."""
    predictions, grid = model.predictions, model.grid
    classes = predictions.class_names
    names: tuple[str | None, ...] = (*classes, None)  # position -1 is UNKNOWN_CLASS
    bus_names = grid.bus_names
    positions = np.asarray(buses, dtype=np.int64)
    shares = predictions.probabilities[positions]
    trust = model.trust.assess(positions, shares)
    for bus, share, best, known, part, members, abstain, quality, reasons in zip(
        positions.tolist(),
        round_shares(shares),
        np.argmax(shares, axis=1).tolist(),
        model.truth[positions].tolist(),
        predictions.parts[positions].tolist(),
        *trust,
        strict=True,
    ):
        predicted, label = classes[best], names[known]
        yield BusRow(
            bus_id=grid.bus_ids[bus],
            bus_name=bus_names[bus] or None,
            predicted=predicted,
            probabilities=dict(zip(classes, share, strict=True)),
            true_label=label,
            known_label=label,
            answer=predicted if label is None else label,
            source="predicted" if known == UNKNOWN_CLASS else "known",
            split=PART_NAMES[part],
            prediction_set=None if members is None else [classes[one] for one in members],
            abstain=abstain,
            quality=quality,
            reasons=reasons,
        )


def round_shares(probabilities: Any) -> list[Any]:
    """Round probabilities to six decimals, as nested lists."""
    # Through float64: a rounded float32 would be written with all its binary digits.
    values: list[Any] = np.round(probabilities.astype(np.float64), _DECIMALS).tolist()
    return values


def list_warnings(model: ChosenModel) -> list[str]:
    """Return the warnings of the model, and one if the grid was chosen among several."""
    others, predictions = model.other_graph_ids, model.predictions
    versions = model.trust.versions
    warnings = [
        *warn_of_newer_labels(predictions.label, versions.labels, versions.newest_labels),
        *predictions.warnings,
    ]
    if not others or model.reason == ONLY_GRID:
        return warnings
    warning = (
        f"{len(others) + 1} grids have an active model and the request named none: this answer "
        f"is for the grid {model.grid.name!r}, whose model was promoted last. "
        "Add ?graph_id= or ?graph= (its name) to choose the grid."
    )
    return [warning, *warnings]


def _fields(row: BusRow) -> dict[str, Any]:
    return {name: getattr(row, name) for name in row.__struct_fields__}
