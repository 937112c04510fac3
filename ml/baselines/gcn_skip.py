"""GCN with a skip connection around every convolution."""

from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.nn import GCNConv

from ml.baselines.edge_views import EdgeView, PreparedViews, normalised_edge_views
from ml.config import TrainingConfig
from ml.dropout import drop
from ml.graph import Graph

PUBLISHED: dict[str, Any] = {
    "layers": 2,
    "width": 16,
    "dropout": 0.5,
    "learning_rate": 0.01,
    "weight_decay": 5e-4,
}


class SkipGcnNetwork(nn.Module):
    """Graph convolutions beside a matrix that each node applies to itself.

    Equation: ``A' H W + H W_s`` with ``A'`` of Kipf and Welling (2017); ReLU between layers.
    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    def __init__(self, config: TrainingConfig, features: int, classes: int) -> None:
        super().__init__()
        widths = list(pairwise([features, *[config.width] * (config.layers - 1), classes]))
        self.layers = nn.ModuleList(GCNConv(*shape, normalize=False) for shape in widths)
        self.skips = nn.ModuleList(nn.Linear(*shape, bias=False) for shape in widths)
        self._dropout = config.dropout

    def forward(self, features: Tensor, view: EdgeView, nodes: Tensor | None) -> Tensor:
        """Return logits at ``nodes``, or everywhere if that is None."""
        signal = features
        for position, (layer, skip) in enumerate(zip(self.layers, self.skips, strict=True)):
            if position > 0:
                signal = functional.relu(signal)
            signal = drop(signal, self._dropout, training=self.training)
            signal = layer(signal, *view) + skip(signal)
        return signal if nodes is None else signal[nodes]


def build_network(config: TrainingConfig, features: int, classes: int) -> nn.Module:
    """Return a GCN with skip connections and freshly drawn weights."""
    return SkipGcnNetwork(config, features, classes)


def make_views(
    graph: Graph, _config: TrainingConfig, device: torch.device
) -> PreparedViews[EdgeView]:
    """Return the edges GCN passes messages along."""
    return normalised_edge_views(graph, device)
