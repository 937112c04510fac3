"""What stored baselines say of a graph, in numpy and scipy: equal to what was measured."""

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from scipy.special import softmax

from ml.arrays import FloatArray
from ml.artifact.artifact import Artifact
from ml.artifact.inputs import add_degree, pick_columns, scale_columns
from ml.artifact.trees import apply_trees
from ml.errors import Fault, InvalidGraph
from ml.graph.graph import Graph
from ml.graph.laplacian import degree_power, degrees_of

DEGREE = "degree"
NOT_ZERO = " is not zero"

Pass = Callable[[Artifact, Graph], FloatArray]


def rule_column(graph: Graph, name: str) -> FloatArray:
    """Return the column that a rule cuts: a feature, whether it is zero, or the degree, (N,)."""
    if name in graph.feature_names:
        return np.asarray(graph.features[:, graph.feature_names.index(name)])
    if name == DEGREE:
        return degrees_of(graph.adjacency)
    values = graph.features[:, graph.feature_names.index(name.removesuffix(NOT_ZERO))]
    return np.asarray(values != 0, dtype=np.float64)


def _majority(artifact: Artifact, graph: Graph) -> FloatArray:
    return np.tile(artifact.tensors()["frequencies"], (graph.node_count, 1))


def _one_rule(artifact: Artifact, graph: Graph) -> FloatArray:
    tensors = artifact.tensors()
    pick_columns(artifact, graph)
    values = rule_column(graph, artifact.manifest["config"]["column"]).astype(np.float32)
    # A value on a cut belongs to the interval below it.
    intervals = np.searchsorted(tensors["cuts"], values.astype(np.float64), side="left")
    return np.asarray(tensors["shares"][intervals])


def _forest(artifact: Artifact, graph: Graph) -> FloatArray:
    return apply_trees(artifact.tensors(), add_degree(pick_columns(artifact, graph), graph))


def _stored_scores(artifact: Artifact, graph: Graph) -> FloatArray:
    if graph.content_hash != artifact.manifest["graph_hash"]:
        problem = "the model spreads labels over its own graph and knows no other"
        raise InvalidGraph([Fault("graph", problem)])
    return np.asarray(artifact.tensors()["scores"])


def _mlp(artifact: Artifact, graph: Graph) -> FloatArray:
    tensors = artifact.tensors()
    signal = scale_columns(artifact, graph)
    for position in range(artifact.config.layers):
        if position > 0:
            signal = np.maximum(signal, 0)
        layer = f"layers.{position}."
        signal = signal @ tensors[f"{layer}weight"].T + tensors[f"{layer}bias"]
    return np.asarray(softmax(signal, axis=1))


def _gcn(artifact: Artifact, graph: Graph) -> FloatArray:
    tensors = artifact.tensors()
    looped = sp.csr_array(graph.adjacency + sp.eye_array(graph.node_count))
    scale = sp.diags_array(degree_power(degrees_of(looped), -0.5))
    messages = scale @ looped @ scale
    signal = scale_columns(artifact, graph)
    for position in range(artifact.config.layers):
        if position > 0:
            signal = np.maximum(signal, 0)
        layer = f"layers.{position}."
        signal = messages @ (signal @ tensors[f"{layer}lin.weight"].T) + tensors[f"{layer}bias"]
    return np.asarray(softmax(signal, axis=1))


BASELINE_PASSES: dict[str, Pass] = {
    "majority": _majority,
    "one_rule": _one_rule,
    "label_propagation": _stored_scores,
    "closed_form": _stored_scores,
    "forest": _forest,
    "mlp": _mlp,
    "gcn": _gcn,
}
"""By method; shapes (N, K), rows sum to one. Networks: float64, equal within round-off."""
