"""A trained network as safetensors and a JSON manifest; read without torch."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load, save

from ml.config import TrainingConfig
from ml.errors import ArtifactRejected, InvalidHyperparameter

FORMAT = "levygrid-model-1"
Weights = Mapping[str, npt.NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Artifact:
    """The weights as safetensors bytes, what they mean, and the SHA-256 of the bytes."""

    weights: bytes
    manifest: dict[str, Any]
    sha256: str

    def tensors(self) -> dict[str, npt.NDArray[np.float32]]:
        """Return the weights by name."""
        return load(self.weights)

    @property
    def config(self) -> TrainingConfig:
        """The settings the network was trained with."""
        return TrainingConfig(**self.manifest["config"])


def pack(weights: Weights, manifest: Mapping[str, Any]) -> Artifact:
    """Store weights; the manifest is completed by their names, shapes and hash."""
    content = save({name: value.copy(order="C") for name, value in weights.items()})
    digest = hashlib.sha256(content).hexdigest()
    complete = {
        "format": FORMAT,
        **manifest,
        "tensors": {name: list(value.shape) for name, value in sorted(weights.items())},
        "sha256": digest,
    }
    return Artifact(content, complete, digest)


def load_artifact(weights: bytes, manifest: dict[str, Any]) -> Artifact:
    """Check stored weights against their manifest.

    Raises: ArtifactRejected if the hash, a name, a shape, a type or the settings are not what
        the manifest says, or a weight is not finite.
    """
    digest = hashlib.sha256(weights).hexdigest()
    if manifest.get("format") != FORMAT:
        raise ArtifactRejected(f"format {manifest.get('format')!r}, expected {FORMAT!r}")
    if digest != manifest.get("sha256"):
        raise ArtifactRejected("the weights do not have the SHA-256 of the manifest")
    artifact = Artifact(weights, manifest, digest)
    try:
        _check_tensors(artifact.tensors(), manifest["tensors"])
        _check_columns(artifact)
    except (SafetensorError, KeyError, TypeError, InvalidHyperparameter) as error:
        raise ArtifactRejected(f"the model is damaged: {error}") from error
    return artifact


def _check_tensors(tensors: Weights, shapes: Mapping[str, list[int]]) -> None:
    if set(tensors) != set(shapes):
        odd = ", ".join(sorted(set(tensors) ^ set(shapes)))
        raise ArtifactRejected(f"weights missing or not announced: {odd}")
    for name, value in tensors.items():
        if list(value.shape) != list(shapes[name]):
            raise ArtifactRejected(f"{name} has shape {value.shape}, expected {shapes[name]}")
        if value.dtype != np.float32:
            raise ArtifactRejected(f"{name} is {value.dtype}, expected float32")
        if not np.isfinite(value).all():
            raise ArtifactRejected(f"{name} is not finite")


def _check_columns(artifact: Artifact) -> None:
    manifest = artifact.manifest
    features = len(manifest["feature_names"])
    scaling = manifest["scaling"]
    lengths = {len(scaling["offset"]), len(scaling["scale"])}
    if lengths != {features} or len(scaling["curves"]) not in {0, features}:
        raise ArtifactRejected("the scaling does not fit the features")
    if len(manifest["class_names"]) < 1:
        raise ArtifactRejected("the model knows no class")
    _ = artifact.config
