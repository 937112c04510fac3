import copy
import hashlib
import json
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load, save

from ml.artifact.artifact import Artifact
from ml.errors import ArtifactRejected
from ml.methods.stored import load_artifact
from ml.training.fit import fit
from tests.ml.small_grids import quick, ring_with_chords, split_of


@pytest.fixture(scope="module")
def artifact() -> Artifact:
    graph = ring_with_chords()
    return fit(graph, split_of(graph), quick(epochs=1)).artifact


def resealed(artifact: Artifact, tensors: dict[str, np.ndarray]) -> tuple[bytes, dict[str, Any]]:
    content = save(tensors)
    manifest = copy.deepcopy(artifact.manifest)
    manifest["sha256"] = hashlib.sha256(content).hexdigest()
    return content, manifest


def test_a_stored_model_comes_back_through_json(artifact: Artifact) -> None:
    manifest = json.loads(json.dumps(artifact.manifest))
    loaded = load_artifact(artifact.weights, manifest)
    assert loaded == artifact


def test_a_flipped_bit_is_noticed(artifact: Artifact) -> None:
    damaged = bytearray(artifact.weights)
    damaged[-1] ^= 1
    with pytest.raises(ArtifactRejected, match="SHA-256"):
        load_artifact(bytes(damaged), artifact.manifest)


def test_a_missing_weight_is_named(artifact: Artifact) -> None:
    tensors = load(artifact.weights)
    del tensors["layers.0.kernel"]
    with pytest.raises(ArtifactRejected, match=r"layers\.0\.kernel"):
        load_artifact(*resealed(artifact, tensors))


def test_a_wrong_shape_is_named(artifact: Artifact) -> None:
    tensors = load(artifact.weights)
    tensors["layers.0.bias"] = tensors["layers.0.bias"][:, :, :-1].copy()
    with pytest.raises(ArtifactRejected, match=r"layers\.0\.bias has shape"):
        load_artifact(*resealed(artifact, tensors))


def test_a_wrong_type_is_named(artifact: Artifact) -> None:
    tensors = {name: value.astype(np.float64) for name, value in load(artifact.weights).items()}
    with pytest.raises(ArtifactRejected, match="expected float32"):
        load_artifact(*resealed(artifact, tensors))


def test_a_weight_that_is_not_finite_is_named(artifact: Artifact) -> None:
    tensors = load(artifact.weights)
    tensors["layers.1.kernel"] = np.full_like(tensors["layers.1.kernel"], np.nan)
    with pytest.raises(ArtifactRejected, match=r"layers\.1\.kernel is not finite"):
        load_artifact(*resealed(artifact, tensors))


@pytest.mark.parametrize("key", ["format", "tensors", "config", "scaling", "class_names"])
def test_a_manifest_without_one_of_its_parts_is_rejected(artifact: Artifact, key: str) -> None:
    manifest = copy.deepcopy(artifact.manifest)
    del manifest[key]
    with pytest.raises(ArtifactRejected):
        load_artifact(artifact.weights, manifest)


@pytest.mark.parametrize("change", [{"alpha": 2.0}, {"unheard_of": 1}])
def test_settings_that_cannot_be_are_rejected(artifact: Artifact, change: dict[str, Any]) -> None:
    manifest = copy.deepcopy(artifact.manifest)
    manifest["config"] |= change
    with pytest.raises(ArtifactRejected):
        load_artifact(artifact.weights, manifest)


def test_a_scaling_of_another_width_is_rejected(artifact: Artifact) -> None:
    manifest = copy.deepcopy(artifact.manifest)
    manifest["scaling"]["scale"].append(1.0)
    with pytest.raises(ArtifactRejected, match="scaling"):
        load_artifact(artifact.weights, manifest)


def test_bytes_that_are_no_safetensors_are_rejected(artifact: Artifact) -> None:
    manifest = {**artifact.manifest, "sha256": hashlib.sha256(b"junk").hexdigest()}
    with pytest.raises(ArtifactRejected, match="damaged"):
        load_artifact(b"junk", manifest)
