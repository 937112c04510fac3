"""Serving and checking methods whose stored model is one score per node and class."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ml.arrays import FloatArray
from ml.artifact.artifact import Artifact, Tensors
from ml.artifact.schema import ArraySpecs, ModelSizes, list_share_faults
from ml.errors import Fault, InvalidGraph
from ml.graph.graph import Graph


def predict(artifact: Artifact, graph: Graph) -> FloatArray:
    """Return the stored scores, (N, K). Raises: InvalidGraph on any graph but the trained one."""
    if graph.content_hash != artifact.manifest["graph_hash"]:
        problem = "the model spread labels over its own graph and does not apply to another"
        raise InvalidGraph([Fault("graph", problem)])
    return np.asarray(artifact.tensors()["scores"])


def list_arrays(_settings: Any, sizes: ModelSizes) -> ArraySpecs:
    """Return names, types and shapes of the stored arrays."""
    return {"scores": ("float64", (sizes.nodes, sizes.classes))}


def list_array_faults(_settings: Any, tensors: Tensors, _sizes: ModelSizes) -> Iterator[Fault]:
    """Yield what is wrong with the stored values."""
    return list_share_faults(tensors, "scores")
