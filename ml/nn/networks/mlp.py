"""A graph-free baseline: the same widths, dropout and l2, but no node sees another."""

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from ml.arrays import IntArray
from ml.config.settings import NetworkSettings
from ml.graph.graph import Graph
from ml.nn.kernels.dropout import drop
from ml.nn.sparse import apply_linear


class MlpNetwork(nn.Module):
    """Multi-layer perceptron on the features of each node by itself.

    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    def __init__(self, config: NetworkSettings, features: int, classes: int) -> None:
        super().__init__()
        widths = [features, *[config.width] * (config.layers - 1), classes]
        self.layers = nn.ModuleList(
            nn.Linear(inputs, outputs) for inputs, outputs in pairwise(widths)
        )
        self._dropout = config.dropout

    def forward(self, features: Tensor, _view: None, nodes: Tensor | None) -> Tensor:
        """Return logits; there is nothing to see of the graph."""
        signal = features if nodes is None else features.index_select(0, nodes)
        if signal.is_sparse:
            signal = signal.coalesce()
        for position, layer in enumerate(self.layers):
            if position > 0:
                signal = functional.relu(signal)
            signal = apply_linear(layer, drop(signal, self._dropout, training=self.training))
        return signal


class NoViews:
    """The graph as a graph-free network sees it: not at all."""

    def whole(self) -> None:
        """Return nothing."""

    def censored(self, pairs: IntArray) -> None:
        """Return nothing."""


def build_network(config: NetworkSettings, features: int, classes: int) -> nn.Module:
    """Return a perceptron with freshly drawn weights."""
    return MlpNetwork(config, features, classes)


def make_views(_graph: Graph, _config: NetworkSettings, _device: torch.device) -> NoViews:
    """Return the empty view."""
    return NoViews()
