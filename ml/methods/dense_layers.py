"""Stored networks whose layers are one matrix and one bias: MLP and GCN."""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import softmax

from ml.arrays import FloatArray
from ml.artifact.artifact import Artifact
from ml.artifact.inputs import scale_columns
from ml.artifact.schema import ArraySpecs, ModelSizes
from ml.config.settings import NetworkSettings
from ml.graph.graph import Graph
from ml.methods.base import Choices

_SHARED = ("layers", "width", "dropout", "learning_rate", "weight_decay", "epochs")
"""Settings that a baseline takes over from the network it is compared with."""


def apply_layers(
    artifact: Artifact, graph: Graph, weight: str, spread: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """Apply the stored layers with ReLU between them; ``spread`` acts on each product.

    Shapes: (N, K), rows sum to one.
    """
    tensors = artifact.tensors()
    signal = scale_columns(artifact, graph)
    for position in range(artifact.manifest["config"]["layers"]):
        if position > 0:
            signal = np.maximum(signal, 0)
        layer = f"layers.{position}."
        signal = spread(signal @ tensors[f"{layer}{weight}"].T) + tensors[f"{layer}bias"]
    return np.asarray(softmax(signal, axis=1))


def list_layer_arrays(settings: NetworkSettings, sizes: ModelSizes, weight: str) -> ArraySpecs:
    """Return names, types and shapes of the stored arrays."""
    widths = [sizes.features, *[settings.width] * (settings.layers - 1), sizes.classes]
    specs: ArraySpecs = {}
    for position, (inputs, outputs) in enumerate(pairwise(widths)):
        specs[f"layers.{position}.{weight}"] = ("float32", (outputs, inputs))
        specs[f"layers.{position}.bias"] = ("float32", (outputs,))
    return specs


def list_choices(_graph: Graph, config: NetworkSettings, published: Mapping[str, Any]) -> Choices:
    """Return the settings to compare: those of the trained network, and the published ones."""
    own = {name: getattr(config, name) for name in _SHARED}
    return [own, own | dict(published) | {"epochs": NetworkSettings.epochs}]
