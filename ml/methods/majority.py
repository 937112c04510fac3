"""The class that occurs most among the training nodes: what any method has to beat."""

from typing import Any

import numpy as np

from ml.arrays import FloatArray
from ml.artifact.artifact import Tensors
from ml.graph.graph import Graph
from ml.graph.split import Split

PUBLISHED: dict[str, Any] = {}


def fit(
    graph: Graph, split: Split, _settings: dict[str, Any], _seed: int
) -> tuple[FloatArray, Tensors]:
    """Give every node the class frequencies of the training nodes, which are all there is.

    Shapes: (N, K), rows sum to one; ``frequencies`` (K,).
    """
    counts = np.bincount(graph.labels[split.train], minlength=graph.class_count)
    frequencies = counts / counts.sum()
    return np.tile(frequencies, (graph.node_count, 1)), {"frequencies": frequencies}


def classify(graph: Graph, split: Split, settings: dict[str, Any], seed: int) -> FloatArray:
    """Return the probabilities of ``fit`` alone, (N, K)."""
    return fit(graph, split, settings, seed)[0]
