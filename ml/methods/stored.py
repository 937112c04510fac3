"""Stored models of every method: checked when they are read, applied without torch."""

from collections.abc import Mapping
from typing import Any

from ml.arrays import FloatArray
from ml.artifact.artifact import Artifact, check_artifact
from ml.errors import ArtifactRejected, InvalidHyperparameter
from ml.graph.graph import Graph
from ml.methods.registry import get_method, read_settings


def load_artifact(weights: bytes, manifest: Mapping[str, Any]) -> Artifact:
    """Check stored arrays and settings against their manifest.

    Raises: ArtifactRejected if the hash, a name, a shape, a type or a setting is not what the
        manifest says, or a number is not finite.
    """
    artifact = check_artifact(weights, manifest)
    try:
        settings = read_settings(manifest["config"])
    except (KeyError, InvalidHyperparameter) as error:
        raise ArtifactRejected(f"the model is damaged: {error}") from error
    if get_method(settings.method).is_network and "scaling" not in manifest:
        raise ArtifactRejected("the model is damaged: the scaling of its features is missing")
    return artifact


def predict_probabilities(artifact: Artifact, graph: Graph) -> FloatArray:
    """Classify every node of a graph: the one trained on, a changed one, or another grid.

    Shapes: (N, Q) features of the graph -> (N, K), rows sum to one.
    Raises: InvalidGraph listing the features the model needs and the graph lacks;
        ArtifactRejected if its method cannot be applied without torch.
    """
    method = get_method(artifact.method)
    if method.predict is None:
        raise ArtifactRejected(f"a model of {method.key} only has its stored predictions")
    return method.predict(artifact, graph)
