"""ChebNet of Defferrard et al. (2016) from PyTorch Geometric."""

from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.nn import ChebConv

from ml.baselines.edge_views import EdgeView, PreparedViews, raw_edge_views
from ml.config import TrainingConfig
from ml.dropout import drop
from ml.feature_matrix import densify
from ml.graph import Graph

DEFAULT_ORDER = 2
PUBLISHED: dict[str, Any] = {
    "layers": 2,
    "width": 16,
    "filter_order": DEFAULT_ORDER,
    "dropout": 0.5,
    "learning_rate": 0.01,
    "weight_decay": 5e-4,
}


class ChebNetwork(nn.Module):
    """Chebyshev polynomials of the normalised Laplacian, ReLU between layers.

    Equation: Defferrard et al. (2016), ``sum_(k<=K) T_k(2 L / lambda_max - I) H W_k`` with
        ``filter_order`` for K; settings on the citation graphs as in Kipf and Welling (2017).
    Deviation: ``lambda_max`` is its bound 2, as in Kipf and Welling.
    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    def __init__(self, config: TrainingConfig, features: int, classes: int) -> None:
        super().__init__()
        order = DEFAULT_ORDER if config.filter_order is None else config.filter_order
        widths = [features, *[config.width] * (config.layers - 1), classes]
        self.layers = nn.ModuleList(
            ChebConv(inputs, outputs, K=order + 1) for inputs, outputs in pairwise(widths)
        )
        self._dropout = config.dropout

    def forward(self, features: Tensor, view: EdgeView, nodes: Tensor | None) -> Tensor:
        """Return logits at ``nodes``, or everywhere if that is None."""
        signal = densify(features)
        for position, layer in enumerate(self.layers):
            if position > 0:
                signal = functional.relu(signal)
            signal = drop(signal, self._dropout, training=self.training)
            signal = layer(signal, *view)
        return signal if nodes is None else signal[nodes]


def build_network(config: TrainingConfig, features: int, classes: int) -> nn.Module:
    """Return a ChebNet with freshly drawn weights."""
    return ChebNetwork(config, features, classes)


def make_views(
    graph: Graph, _config: TrainingConfig, device: torch.device
) -> PreparedViews[EdgeView]:
    """Return the edges; the layers build the Laplacian."""
    return raw_edge_views(graph, device)
