"""The explanation of one bus as an answer: the largest contributions, and the sum of the others."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import ml
from app.grid.grid import UNKNOWN_CLASS, Grid
from app.predict.answers import round_shares
from app.predict.forms import find_points
from ml.arrays import FloatArray, IntArray

_DIGITS = 9
"""Significant digits of contributions, so that the sums stay within 1e-6."""
_NETWORK = "nodes"
COMMON = ("label", "graph_id", "model_id", "chosen", "warnings")
"""What the answer says about the model, as every answer for a bus does."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ExplainedBus:
    """The explanation of one bus before it is cut to its largest contributions.

    ``explanation`` is None if the model does not fit what is stored; ``problem`` says why.
    ``is_trained`` says whether the model has learnt from the label of the bus.

    Shapes: known (N,), stored (K,).
    """

    grid: Grid
    bus: int
    class_names: tuple[str, ...]
    known: IntArray
    is_trained: bool
    stored: npt.NDArray[np.float32]
    common: dict[str, Any]
    explanation: ml.Explanation | None
    problem: str | None

    def describe(self, top: int) -> dict[str, Any]:
        """Return the answer; described by ``schemas.ExplanationOut``."""
        explanation = self.explanation
        probabilities = self.stored if explanation is None else explanation.stored
        shown = round_shares(np.asarray(probabilities))
        body = {
            "bus_id": self.grid.bus_ids[self.bus],
            "bus_name": self.grid.bus_names[self.bus] or None,
            "class": self.class_names[int(np.argmax(probabilities))],
            "probabilities": dict(zip(self.class_names, shown, strict=True)),
            "out_of_fold": explanation is not None and explanation.out_of_fold,
            **self._compare(),
        }
        parts = [] if explanation is None else [self._part(one, top) for one in explanation.parts]
        return body | {"parts": parts} | self.common

    def overlay(self, top: int) -> dict[str, Any]:
        """Return the bus and its contributing buses as GeoJSON points."""
        body = self.describe(top)
        positions = {bus_id: place for place, bus_id in enumerate(self.grid.bus_ids)}
        rows = [{"role": "explained", "bus_id": body["bus_id"], "class": body["class"]}]
        for part in body["parts"]:
            about = {"role": "contributing", "method": part["method"], "weight": part["weight"]}
            rows += [about | row for row in part["buses"]]
        points = find_points(self.grid, [positions[row["bus_id"]] for row in rows])
        features = [
            {"type": "Feature", "geometry": point, "properties": row}
            for point, row in zip(points, rows, strict=True)
        ]
        return {"type": "FeatureCollection"} | self.common | {"features": features}

    def _compare(self) -> dict[str, Any]:
        if self.explanation is None:
            reason = self.problem or ""
            return {"reproduced": None, "difference": None, "note": reason.capitalize() + "."}
        difference = self.explanation.difference
        is_network = any(part.kind == _NETWORK for part in self.explanation.parts)
        tolerance = ml.NETWORK_TOLERANCE if is_network else ml.REBUILT_TOLERANCE
        reproduced = None if difference is None else difference <= tolerance
        note = None
        if reproduced is False:
            note = "The parts do not add up to the stored answer: do not rely on this explanation."
        elif self.is_trained and not self.explanation.out_of_fold:
            note = "The explained model has seen the label of this bus."
        return {"reproduced": reproduced, "difference": difference, "note": note}

    def _part(self, part: ml.ExplainedPart, top: int) -> dict[str, Any]:
        order = self._order(part)
        listed = part.values[order] != 0
        listed[np.flatnonzero(listed)[top:]] = False
        if part.kind == "nearest_labels":
            listed = np.arange(len(order)) < top
        chosen, rest = order[listed], order[~listed]
        sizes = np.abs(part.values)
        shares = sizes / (sizes.sum() or 1.0)
        rows = [self._row(part, int(place), float(shares[place])) for place in chosen]
        is_columns = bool(part.columns)
        return {
            "method": part.method,
            "title": part.title,
            "kind": part.kind,
            "weight": part.weight,
            "sharpness": part.sharpness,
            "exact": part.is_exact,
            "note": part.note,
            "scores": self._name(part.scores),
            "probabilities": self._name(part.probabilities),
            "base": _shorten(part.base),
            "buses": [] if is_columns else rows,
            "columns": rows if is_columns else [],
            "others": {
                "count": len(rest),
                "contribution": _shorten(float(part.values[rest].sum())),
                "share": _shorten(float(shares[rest].sum())),
                "by_class": self._sum_classes(part, rest),
            },
        }

    def _order(self, part: ml.ExplainedPart) -> IntArray:
        """Return the places of contributions, largest first; labels without one by distance."""
        if part.kind == "nearest_labels" and self.explanation is not None:
            return ml.find_nearest(part.nodes, self.explanation.hops)
        return np.argsort(-np.abs(part.values), kind="stable")

    def _row(self, part: ml.ExplainedPart, place: int, share: float) -> dict[str, Any]:
        value: dict[str, float | None]
        value = {"contribution": _shorten(float(part.values[place])), "share": _shorten(share)}
        if part.kind == "nearest_labels":
            value = {"contribution": None, "share": None}
        if part.columns:
            given = None if part.inputs is None else _shorten(float(part.inputs[place]))
            return {"column": part.columns[place], "value": given} | value
        bus = int(part.nodes[place])
        hops = math.inf if self.explanation is None else float(self.explanation.hops[bus])
        return {
            "bus_id": self.grid.bus_ids[bus],
            "bus_name": self.grid.bus_names[bus] or None,
            "class": self._find_class(part, place, bus),
            "distance": int(hops) if math.isfinite(hops) else None,
        } | value

    def _find_class(self, part: ml.ExplainedPart, place: int, bus: int) -> str | None:
        code = int(self.known[bus] if part.classes is None else part.classes[place])
        return None if code == UNKNOWN_CLASS else self.class_names[code]

    def _sum_classes(self, part: ml.ExplainedPart, rest: IntArray) -> dict[str, float]:
        if part.classes is None or part.kind == "nearest_labels":
            return {}
        codes = part.classes[rest]
        totals = np.bincount(codes, weights=part.values[rest], minlength=len(self.class_names))
        present = np.unique(codes).tolist()
        return {self.class_names[code]: _shorten(float(totals[code])) for code in present}

    def _name(self, values: FloatArray | None) -> dict[str, float] | None:
        if values is None:
            return None
        shown = [_shorten(float(value)) for value in values]
        return dict(zip(self.class_names, shown, strict=True))


def _shorten(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
