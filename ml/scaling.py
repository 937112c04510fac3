"""Feature scaling: fitted on all nodes without looking at labels, stored with the model."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ml.arrays import FloatArray
from ml.config import Scaling


@dataclass(frozen=True, slots=True)
class FeatureScaling:
    """Per column ``(x - offset) / scale``. Shapes: offset (Q,), scale (Q,)."""

    offset: FloatArray
    scale: FloatArray

    def transform(self, features: FloatArray) -> FloatArray:
        """Return the scaled features. Shapes: (N, Q) -> (N, Q)."""
        return (features - self.offset) / self.scale

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values; the numbers survive the round trip exactly."""
        return {"offset": self.offset.tolist(), "scale": self.scale.tolist()}


def fit_scaling(features: FloatArray, kind: Scaling) -> FeatureScaling:
    """Fit offset and scale; a constant column keeps its scale of one.

    Shapes: (N, Q) -> offset (Q,), scale (Q,).
    """
    columns = features.shape[1]
    if kind == "none" or columns == 0:
        return FeatureScaling(np.zeros(columns), np.ones(columns))
    if kind == "standard":
        offset, scale = features.mean(axis=0), features.std(axis=0)
    else:
        offset, scale = features.min(axis=0), np.ptp(features, axis=0)
    negligible = scale <= 1e-12 * np.maximum(1.0, np.abs(offset))
    return FeatureScaling(offset, np.where(negligible, 1.0, scale))
