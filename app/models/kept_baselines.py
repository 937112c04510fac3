"""Fitted baselines, stored with the model they were measured with so that they can be promoted."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from app.errors import StoredDataDamaged
from app.models.predictions import pack_probabilities
from app.storage.documents import Curves, ManifestDocument
from app.storage.tables import FittedBaselineRow
from ml import Artifact, MetricsDocument, load_artifact
from ml.errors import ArtifactRejected

_SHARED_WITH_MODEL = "split"
"""The one large part of a manifest that is the same for a baseline and its model."""
_PREDICTIONS_HASH: Final = "predictions_sha256"


@dataclass(frozen=True, eq=False, kw_only=True)
class NewBaseline:
    """A fitted baseline that is about to be stored. Shapes: probabilities (N, K)."""

    key: str
    artifact: Artifact
    metrics: dict[str, MetricsDocument]
    curves: Curves
    probabilities: npt.NDArray[np.floating[Any]]
    best_epoch: int | None = None


def make_baseline_rows(
    model_id: str, fitted_baselines: Iterable[NewBaseline]
) -> list[FittedBaselineRow]:
    """Return the rows of the baselines of a model."""
    return [_make_baseline_row(model_id, fitted) for fitted in fitted_baselines]


def _make_baseline_row(model_id: str, fitted: NewBaseline) -> FittedBaselineRow:
    probabilities = pack_probabilities(fitted.probabilities)
    manifest = {
        name: value
        for name, value in fitted.artifact.manifest.items()
        if name != _SHARED_WITH_MODEL
    }
    manifest[_PREDICTIONS_HASH] = hashlib.sha256(probabilities).hexdigest()
    if fitted.best_epoch is not None:
        manifest["best_epoch"] = fitted.best_epoch
    return FittedBaselineRow(
        model_id=model_id,
        key=fitted.key,
        manifest=manifest,
        metrics=fitted.metrics,
        curves=fitted.curves,
        weights=fitted.artifact.weights,
        sha256=fitted.artifact.sha256,
        probabilities=probabilities,
    )


def read_baseline_manifest(row: FittedBaselineRow) -> ManifestDocument:
    """Return the manifest of a stored baseline after checking its arrays and predictions.

    Raises: StoredDataDamaged.
    """
    manifest = row.manifest.copy()
    digest = hashlib.sha256(row.probabilities).hexdigest()
    try:
        artifact = load_artifact(row.weights, manifest)
    except ArtifactRejected as error:
        raise _damaged(row) from error
    if artifact.sha256 != row.sha256 or digest != manifest.pop(_PREDICTIONS_HASH, None):
        raise _damaged(row)
    return manifest


def _damaged(row: FittedBaselineRow) -> StoredDataDamaged:
    return StoredDataDamaged(
        f"The stored baseline {row.key!r} of model {row.model_id!r} does not match its SHA-256."
    )
