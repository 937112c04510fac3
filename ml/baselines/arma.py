"""ARMA of Bianchi et al. (2019) from PyTorch Geometric."""

from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.nn import ARMAConv

from ml.baselines.edge_views import EdgeView, PreparedViews, raw_edge_views
from ml.config import TrainingConfig
from ml.dropout import drop
from ml.feature_matrix import densify
from ml.graph import Graph

DEFAULT_DEPTH = 1
PUBLISHED: dict[str, Any] = {
    "layers": 2,
    "width": 16,
    "branches": 2,
    "filter_order": DEFAULT_DEPTH,
    "dropout": 0.75,
    "learning_rate": 0.01,
    "weight_decay": 5e-4,
}


class ArmaNetwork(nn.Module):
    """Parallel stacks of recursive filters with shared weights, averaged.

    Equation: Bianchi et al. (2019), ``X_(t+1) = relu(M X_t W + X_0 V)`` run ``filter_order``
        times in each of ``branches`` stacks, ``M = D^-1/2 W D^-1/2``.
    Deviation: dropout on the skip branch is a quarter, as in the library's example.
    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    def __init__(self, config: TrainingConfig, features: int, classes: int) -> None:
        super().__init__()
        depth = DEFAULT_DEPTH if config.filter_order is None else max(1, config.filter_order)
        widths = [features, *[config.width] * (config.layers - 1), classes]
        self.layers = nn.ModuleList(
            ARMAConv(
                inputs,
                outputs,
                num_stacks=config.branches,
                num_layers=depth,
                shared_weights=True,
                act=None if position == config.layers - 1 else nn.ReLU(),
                dropout=0.25 if config.dropout else 0.0,
            )
            for position, (inputs, outputs) in enumerate(pairwise(widths))
        )
        self._dropout = config.dropout

    def forward(self, features: Tensor, view: EdgeView, nodes: Tensor | None) -> Tensor:
        """Return logits at ``nodes``, or everywhere if that is None."""
        signal = densify(features)
        for layer in self.layers:
            signal = drop(signal, self._dropout, training=self.training)
            signal = layer(signal, *view)
        return signal if nodes is None else signal[nodes]


def build_network(config: TrainingConfig, features: int, classes: int) -> nn.Module:
    """Return an ARMA network with freshly drawn weights."""
    return ArmaNetwork(config, features, classes)


def make_views(
    graph: Graph, _config: TrainingConfig, device: torch.device
) -> PreparedViews[EdgeView]:
    """Return the edges; the layers normalise them."""
    return raw_edge_views(graph, device)
