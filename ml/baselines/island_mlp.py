"""The limit of the Lévy filter as gamma goes to zero: a perceptron and the mean of its island."""

from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from ml.arrays import SparseMatrix
from ml.baselines.edge_views import PreparedViews
from ml.config import TrainingConfig
from ml.dropout import drop
from ml.feature_matrix import densify
from ml.graph import Graph, islands_of

PUBLISHED: dict[str, Any] = {
    "layers": 2,
    "width": 64,
    "dropout": 0.5,
    "learning_rate": 0.01,
    "weight_decay": 5e-4,
}


class IslandView:
    """Which island each node is on, and how large it is. Shapes: (N,), (I, 1)."""

    def __init__(self, adjacency: SparseMatrix, device: torch.device) -> None:
        self._island = torch.from_numpy(islands_of(adjacency)).to(device)
        self._sizes = torch.bincount(self._island).unsqueeze(1)

    def mean(self, signal: Tensor) -> Tensor:
        """Return for each node the mean over its island. Shapes: (N, C) -> (N, C)."""
        totals = signal.new_zeros(len(self._sizes), signal.shape[1])
        totals = totals.index_add(0, self._island, signal)
        return (totals / self._sizes)[self._island]


class IslandNetwork(nn.Module):
    """Layers ``H W_s + mean(H) W``: all that is left of the graph is which island a node is on.

    Equation: Sec. III-B with ``gamma -> 0``: ``L^g -> I - P0`` with ``P0`` the mean over the
        island, so ``Lt`` jumps to every node of the island alike.
    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    def __init__(self, config: TrainingConfig, features: int, classes: int) -> None:
        super().__init__()
        widths = list(pairwise([features, *[config.width] * (config.layers - 1), classes]))
        self.layers = nn.ModuleList(nn.Linear(*shape) for shape in widths)
        self.means = nn.ModuleList(nn.Linear(*shape, bias=False) for shape in widths)
        self._dropout = config.dropout

    def forward(self, features: Tensor, view: IslandView, nodes: Tensor | None) -> Tensor:
        """Return logits at ``nodes``, or everywhere if that is None."""
        signal = densify(features)
        for position, (layer, mean) in enumerate(zip(self.layers, self.means, strict=True)):
            if position > 0:
                signal = functional.relu(signal)
            signal = drop(signal, self._dropout, training=self.training)
            signal = layer(signal) + mean(view.mean(signal))
        return signal if nodes is None else signal[nodes]


def build_network(config: TrainingConfig, features: int, classes: int) -> nn.Module:
    """Return the limit network with freshly drawn weights."""
    return IslandNetwork(config, features, classes)


def make_views(
    graph: Graph, _config: TrainingConfig, device: torch.device
) -> PreparedViews[IslandView]:
    """Return the islands; edges matter only where they hold one together."""
    return PreparedViews(graph, lambda adjacency: IslandView(adjacency, device))
