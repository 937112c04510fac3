"""Feature scaling, fitted on all nodes without their labels and stored with the model."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ml.arrays import FloatArray
from ml.config.settings import Scaling

MOST_KNOTS = 1000
_HEAVY_SHARE = 0.01

Curve = tuple[FloatArray, FloatArray]
"""Ascending values and their images; linear in between, constant beyond both ends."""


@dataclass(frozen=True, slots=True)
class FeatureScaling:
    """Per column ``(c(x) - offset) / scale`` with a curve c, if there is one.

    With ``presence`` every non-zero value counts as one first, and rows sum to one.

    Shapes: offset (Q,), scale (Q,), one curve per column or none at all.
    """

    offset: FloatArray
    scale: FloatArray
    curves: tuple[Curve, ...] = ()
    presence: bool = False

    def transform(self, features: FloatArray) -> FloatArray:
        """Return the scaled features. Shapes: (N, Q) -> (N, Q)."""
        if self.presence:
            features = _share_rows(features)
        return (_bend(features, self.curves) - self.offset) / self.scale

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values; the numbers survive the round trip exactly.

        ``presence`` is written only if true, so that earlier versions read all other models.
        """
        stored = {
            "offset": self.offset.tolist(),
            "scale": self.scale.tolist(),
            "curves": [[values.tolist(), ranks.tolist()] for values, ranks in self.curves],
        }
        return stored | {"presence": True} if self.presence else stored

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "FeatureScaling":
        """Read the values that ``as_dict`` returned."""
        curves = ((np.array(values), np.array(ranks)) for values, ranks in stored["curves"])
        offset, scale = np.array(stored["offset"]), np.array(stored["scale"])
        return cls(offset, scale, tuple(curves), stored.get("presence", False))


def fit_scaling(features: FloatArray, kind: Scaling) -> FeatureScaling:
    """Fit the scaling of each column; a constant column keeps its scale of one.

    ``quantile`` replaces a value by the share of nodes below it (half of those equal to it
    included), then standardises: classes of buses often differ in whether a value is zero, not in
    how large it is. ``presence`` keeps only that, in rows that sum to one, like word counts of
    documents.

    Shapes: (N, Q) -> offset (Q,), scale (Q,).
    """
    columns = features.shape[1]
    if kind in {"none", "presence"} or columns == 0:
        return FeatureScaling(np.zeros(columns), np.ones(columns), presence=kind == "presence")
    curves: tuple[Curve, ...] = ()
    if kind == "quantile":
        curves = tuple(_rank_curve(column) for column in features.T)
        features = _bend(features, curves)
    if kind == "minmax":
        offset, scale = features.min(axis=0), np.ptp(features, axis=0)
    else:
        offset, scale = features.mean(axis=0), features.std(axis=0)
    negligible = scale <= 1e-12 * np.maximum(1.0, np.abs(offset))
    return FeatureScaling(offset, np.where(negligible, 1.0, scale), curves)


def _share_rows(features: FloatArray) -> FloatArray:
    """Return one for each non-zero value, divided by their number in the row."""
    present = (features != 0).astype(np.float64)
    shares: FloatArray = present / np.maximum(present.sum(axis=1, keepdims=True), 1)
    return shares


def _rank_curve(column: FloatArray) -> Curve:
    values, counts = np.unique(column, return_counts=True)
    ranks = (np.cumsum(counts) - counts / 2) / len(column)
    if len(values) > MOST_KNOTS:
        spread = np.linspace(0, len(values) - 1, MOST_KNOTS).round().astype(np.int64)
        heavy = np.flatnonzero(counts > _HEAVY_SHARE * len(column))
        # The curve jumps at a value that many nodes share: its neighbours are needed too.
        knots = np.unique(np.concatenate([spread, heavy - 1, heavy, heavy + 1]))
        knots = knots[(knots >= 0) & (knots < len(values))]
        values, ranks = values[knots], ranks[knots]
    return values, ranks


def _bend(features: FloatArray, curves: tuple[Curve, ...]) -> FloatArray:
    if not curves:
        return features
    bent = [np.interp(column, *curve) for column, curve in zip(features.T, curves, strict=True)]
    return np.stack(bent, axis=1)
