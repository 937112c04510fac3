"""GAT of Veličković et al. (2018) from PyTorch Geometric."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.nn import GATConv

from ml.baselines.edge_views import EdgeView, PreparedViews, raw_edge_views
from ml.config import TrainingConfig
from ml.dropout import drop
from ml.graph import Graph

PUBLISHED: dict[str, Any] = {
    "layers": 2,
    "width": 8,
    "branches": 8,
    "dropout": 0.6,
    "learning_rate": 0.005,
    "weight_decay": 5e-4,
}


class GatNetwork(nn.Module):
    """Attention over neighbours and the node itself in ``branches`` heads of ``width`` columns.

    Equation: Veličković et al. (2018), Eqs. (1) to (6), ELU between layers, one head on top.
    Deviation: edge weights are not seen, as in the paper.
    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    def __init__(self, config: TrainingConfig, features: int, classes: int) -> None:
        super().__init__()
        inputs = [features, *[config.width * config.branches] * (config.layers - 1)]
        shared = {"dropout": config.dropout}
        self.layers = nn.ModuleList(
            GATConv(columns, config.width, heads=config.branches, **shared)
            for columns in inputs[:-1]
        )
        self.layers.append(GATConv(inputs[-1], classes, heads=1, concat=False, **shared))
        self._dropout = config.dropout

    def forward(self, features: Tensor, view: EdgeView, nodes: Tensor | None) -> Tensor:
        """Return logits at ``nodes``, or everywhere if that is None."""
        signal = features
        for position, layer in enumerate(self.layers):
            if position > 0:
                signal = functional.elu(signal)
            signal = drop(signal, self._dropout, training=self.training)
            signal = layer(signal, view[0])
        return signal if nodes is None else signal[nodes]


def build_network(config: TrainingConfig, features: int, classes: int) -> nn.Module:
    """Return a GAT with freshly drawn weights."""
    return GatNetwork(config, features, classes)


def make_views(
    graph: Graph, _config: TrainingConfig, device: torch.device
) -> PreparedViews[EdgeView]:
    """Return the edges that attention runs along."""
    return raw_edge_views(graph, device)
