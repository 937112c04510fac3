"""Multi-layer perceptron: no node sees another."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from ml.arrays import FloatArray
from ml.artifact.artifact import Artifact
from ml.config.settings import NetworkSettings
from ml.graph.graph import Graph
from ml.methods.base import Method
from ml.methods.dense_layers import apply_layers, list_choices, list_layer_arrays
from ml.methods.estimate import estimate_messages

PUBLISHED = {"layers": 2, "width": 64, "dropout": 0.5, "learning_rate": 0.01, "weight_decay": 5e-4}


@dataclass(frozen=True, kw_only=True)
class MlpSettings(NetworkSettings):
    """The settings that every network has."""

    method: ClassVar[str] = "mlp"


def predict(artifact: Artifact, graph: Graph) -> FloatArray:
    """Classify every node from the stored weights.

    Deviation: float64 throughout, so equal to the torch pass within float32 round-off.
    Shapes: (N, K), rows sum to one.
    """
    return apply_layers(artifact, graph, "weight", lambda signal: signal)


METHOD = Method(
    key="mlp",
    title="MLP",
    description="perceptron on the features of each bus, without the graph",
    settings=MlpSettings,
    published=PUBLISHED,
    network="ml.nn.networks.mlp",
    predict=predict,
    list_arrays=partial(list_layer_arrays, weight="weight"),
    baseline_choices=partial(list_choices, published=PUBLISHED),
    estimate=estimate_messages,
    automatic=True,
)
