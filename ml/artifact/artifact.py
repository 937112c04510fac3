"""A trained model as safetensors and a JSON manifest; read without torch."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load, save

from ml.config.settings import MethodSettings
from ml.errors import ArtifactRejected

FORMAT: Final = "levygrid-model-1"
FORMAT_2: Final = "levygrid-model-2"
"""Models of the automatic choice: members, out-of-fold answers and the evidence for them."""
_USUAL_TYPE = "float32"
Tensors = Mapping[str, npt.NDArray[Any]]
SettingsT = TypeVar("SettingsT", bound=MethodSettings)


@dataclass(frozen=True, slots=True)
class Artifact:
    """The arrays as safetensors bytes, what they mean, and the SHA-256 of the bytes."""

    weights: bytes
    manifest: dict[str, Any]
    sha256: str

    def tensors(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays by name."""
        return load(self.weights)

    @property
    def method(self) -> str:
        """Which method the arrays belong to."""
        method: str = self.manifest["config"]["method"]
        return method

    def settings(self, kind: type[SettingsT]) -> SettingsT:
        """Return the settings the model was made with, as the class of its method."""
        return kind.from_stored(self.manifest["config"])


def pack(tensors: Tensors, manifest: Mapping[str, Any], version: str = FORMAT) -> Artifact:
    """Store arrays; the manifest is completed by their names, shapes, types and hash."""
    content = save({name: value.copy(order="C") for name, value in tensors.items()})
    digest = hashlib.sha256(content).hexdigest()
    complete = {
        "format": version,
        **manifest,
        "tensors": {name: list(value.shape) for name, value in sorted(tensors.items())},
        "sha256": digest,
    }
    types = {name: str(value.dtype) for name, value in sorted(tensors.items())}
    if set(types.values()) != {_USUAL_TYPE}:
        complete["types"] = types
    return Artifact(content, complete, digest)


def check_artifact(weights: bytes, manifest: Mapping[str, Any]) -> Artifact:
    """Check stored arrays against their manifest.

    Raises: ArtifactRejected if the hash, a name, a shape or a type is not what the manifest
        says, or a number is not finite.
    """
    digest = hashlib.sha256(weights).hexdigest()
    if manifest.get("format") not in {FORMAT, FORMAT_2}:
        problem = f"format {manifest.get('format')!r}, expected {FORMAT!r} or {FORMAT_2!r}"
        raise ArtifactRejected(problem)
    if digest != manifest.get("sha256"):
        raise ArtifactRejected("the weights do not have the SHA-256 of the manifest")
    artifact = Artifact(weights, dict(manifest), digest)
    try:
        _check_tensors(artifact.tensors(), manifest)
        _check_columns(manifest)
    except (SafetensorError, KeyError, TypeError) as error:
        raise ArtifactRejected(f"the model is damaged: {error}") from error
    return artifact


def _check_tensors(tensors: Tensors, manifest: Mapping[str, Any]) -> None:
    shapes: Mapping[str, list[int]] = manifest["tensors"]
    types: Mapping[str, str] = manifest.get("types", {})
    if set(tensors) != set(shapes):
        odd = ", ".join(sorted(set(tensors) ^ set(shapes)))
        raise ArtifactRejected(f"weights missing or not announced: {odd}")
    for name, value in tensors.items():
        wanted = types.get(name, _USUAL_TYPE)
        if list(value.shape) != list(shapes[name]):
            raise ArtifactRejected(f"{name} has shape {value.shape}, expected {shapes[name]}")
        if str(value.dtype) != wanted:
            raise ArtifactRejected(f"{name} is {value.dtype}, expected {wanted}")
        if not np.isfinite(value).all():
            raise ArtifactRejected(f"{name} is not finite")


def _check_columns(manifest: Mapping[str, Any]) -> None:
    if len(manifest["class_names"]) < 1:
        raise ArtifactRejected("the model has no class")
    features = len(manifest["feature_names"])
    scaling = manifest.get("scaling")
    if scaling is None:
        return
    lengths = {len(scaling["offset"]), len(scaling["scale"])}
    if lengths != {features} or len(scaling["curves"]) not in {0, features}:
        raise ArtifactRejected("the scaling does not fit the features")
