"""Baselines that were measured beside a model, kept whole so that one call can promote them."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from app.errors import StoredDataDamaged
from app.models.predictions import pack_probabilities
from app.storage.tables import FittedBaselineRow
from ml import Artifact, load_artifact
from ml.errors import ArtifactRejected

_OF_THE_MODEL = "split"
"""The one large part of a manifest that a baseline shares with its model."""
_PREDICTIONS_HASH = "predictions_sha256"


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedBaseline:
    """A baseline as the trainer hands it over. Shapes: probabilities (N, K)."""

    key: str
    artifact: Artifact
    metrics: dict[str, Any]
    curves: dict[str, Any]
    probabilities: npt.NDArray[np.floating[Any]]
    best_epoch: int | None = None


def make_rows(model_id: str, fitted: Iterable[FittedBaseline]) -> list[FittedBaselineRow]:
    """Return the rows of the baselines of a model."""
    return [_make_row(model_id, each) for each in fitted]


def _make_row(model_id: str, fitted: FittedBaseline) -> FittedBaselineRow:
    probabilities = pack_probabilities(fitted.probabilities)
    told = {name: v for name, v in fitted.artifact.manifest.items() if name != _OF_THE_MODEL}
    told[_PREDICTIONS_HASH] = hashlib.sha256(probabilities).hexdigest()
    if fitted.best_epoch is not None:
        told["best_epoch"] = fitted.best_epoch
    return FittedBaselineRow(
        model_id=model_id,
        key=fitted.key,
        manifest=told,
        metrics=fitted.metrics,
        curves=fitted.curves,
        weights=fitted.artifact.weights,
        sha256=fitted.artifact.sha256,
        probabilities=probabilities,
    )


def check_row(row: FittedBaselineRow) -> dict[str, Any]:
    """Return the manifest of a stored baseline, its arrays and predictions checked.

    Raises: StoredDataDamaged.
    """
    manifest = dict(row.manifest)
    digest = hashlib.sha256(row.probabilities).hexdigest()
    try:
        artifact = load_artifact(row.weights, manifest)
    except ArtifactRejected as error:
        raise StoredDataDamaged(f"Baseline {row.key!r} is not what was stored.") from error
    if artifact.sha256 != row.sha256 or digest != manifest.pop(_PREDICTIONS_HASH, None):
        raise StoredDataDamaged(f"Baseline {row.key!r} is not what was stored.")
    return manifest
