"""GCN of Kipf and Welling (2017)."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from ml.arrays import FloatArray
from ml.artifact.artifact import Artifact
from ml.config.settings import NetworkSettings
from ml.graph.graph import Graph
from ml.graph.laplacian import degree_power, degrees_of
from ml.methods.base import Method
from ml.methods.dense_layers import apply_layers, list_choices, list_layer_arrays
from ml.methods.estimate import estimate_messages

PUBLISHED = {"layers": 2, "width": 16, "dropout": 0.5, "learning_rate": 0.01, "weight_decay": 5e-4}


@dataclass(frozen=True, kw_only=True)
class GcnSettings(NetworkSettings):
    """The settings that every network has."""

    method: ClassVar[str] = "gcn"


def predict(artifact: Artifact, graph: Graph) -> FloatArray:
    """Classify every node from the stored weights.

    Deviation: float64 throughout, so equal to the torch pass within float32 round-off.
    Shapes: (N, K), rows sum to one.
    """
    looped = sp.csr_array(graph.adjacency + sp.eye_array(graph.node_count))
    scale = sp.diags_array(degree_power(degrees_of(looped), -0.5))
    messages = scale @ looped @ scale
    return apply_layers(artifact, graph, "lin.weight", lambda signal: np.asarray(messages @ signal))


METHOD = Method(
    key="gcn",
    title="GCN",
    description="graph convolution of Kipf and Welling (GCN)",
    settings=GcnSettings,
    published=PUBLISHED,
    network="ml.nn.networks.gcn",
    predict=predict,
    list_arrays=partial(list_layer_arrays, weight="lin.weight"),
    baseline_choices=partial(list_choices, published=PUBLISHED),
    estimate=estimate_messages,
    automatic=True,
)
