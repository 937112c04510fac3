"""LGCN of Gao et al. (2018), learnable graph convolution, written from its paper."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ml.arrays import SparseMatrix
from ml.baselines.edge_views import EdgeView, PreparedViews, normalised_edges
from ml.baselines.gcn import GcnLayer
from ml.config import TrainingConfig
from ml.dropout import drop
from ml.graph import Graph

LARGEST = 8
"""How many neighbours each column keeps: k of the paper."""
MOST_NEIGHBOURS = 64
"""Hubs are cut to this many neighbours, those of the largest weight."""
PUBLISHED: dict[str, Any] = {
    "layers": 3,
    "width": 32,
    "dropout": 0.5,
    "learning_rate": 0.01,
    "weight_decay": 5e-4,
}


@dataclass(frozen=True, eq=False)
class NeighbourView:
    """Normalised edges, and each node's neighbours as a padded table.

    Shapes: neighbours (N, D) with the position N where there is none.
    """

    edges: EdgeView
    neighbours: Tensor


class LearnableLayer(nn.Module):
    """The k largest values of each column among the neighbours, then ordinary convolution.

    Equation: Gao et al. (2018), Sec. 3.2: g (select) makes of each node a (k + 1) x C grid,
        its own values on top, zeros where neighbours lack; c is a two-layer 1-D convolution.
    Shapes: (N, C) -> (N, outputs).
    """

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        first = LARGEST // 2 + 1
        self.narrow = nn.Conv1d(inputs, outputs, kernel_size=first)
        self.close = nn.Conv1d(outputs, outputs, kernel_size=LARGEST + 2 - first)

    def forward(self, signal: Tensor, view: NeighbourView) -> Tensor:
        """Return the convolved grid."""
        grid = torch.cat([signal.unsqueeze(1), largest_values(signal, view.neighbours)], dim=1)
        hidden = functional.relu(self.narrow(grid.transpose(1, 2)))
        closed: Tensor = self.close(hidden)
        return closed.squeeze(2)


def largest_values(signal: Tensor, neighbours: Tensor) -> Tensor:
    """Rank each column by itself among a node's neighbours.

    Equation: Gao et al. (2018), the k-largest node selection of Fig. 2.
    Shapes: (N, C), (N, D) -> (N, k, C), descending, zeros below.
    """
    lowest = signal.new_full((1, signal.shape[1]), -torch.inf)
    gathered = torch.cat([signal, lowest])[neighbours]
    kept = gathered.topk(min(LARGEST, gathered.shape[1]), dim=1).values
    kept = torch.where(torch.isinf(kept), torch.zeros_like(kept), kept)
    return functional.pad(kept, (0, 0, 0, LARGEST - kept.shape[1]))


class LgcnNetwork(nn.Module):
    """A linear graph embedding, learnable layers joined to their inputs, a GCN layer on top.

    Equation: Gao et al. (2018), Fig. 3; ``layers`` counts embedding and output too.
    Deviation: full graph instead of sampled sub-graphs, as all graphs here fit.
    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    def __init__(self, config: TrainingConfig, features: int, classes: int) -> None:
        super().__init__()
        self.embedding = GcnLayer(features, config.width, normalize=False)
        columns = config.width
        self.layers = nn.ModuleList()
        for _ in range(max(1, config.layers - 2)):
            self.layers.append(LearnableLayer(columns, config.width))
            columns += config.width
        self.output = GcnLayer(columns, classes, normalize=False)
        self._dropout = config.dropout

    def forward(self, features: Tensor, view: NeighbourView, nodes: Tensor | None) -> Tensor:
        """Return logits at ``nodes``, or everywhere if that is None."""
        signal = self.embedding(self._drop(features), *view.edges)
        for layer in self.layers:
            signal = torch.cat([signal, layer(self._drop(signal), view)], dim=1)
        logits: Tensor = self.output(self._drop(functional.relu(signal)), *view.edges)
        return logits if nodes is None else logits[nodes]

    def _drop(self, signal: Tensor) -> Tensor:
        return drop(signal, self._dropout, training=self.training)


def neighbour_table(adjacency: SparseMatrix) -> np.ndarray[Any, np.dtype[np.int64]]:
    """List each node's neighbours, heaviest first, padded with the position N, (N, D)."""
    count = adjacency.shape[0]
    sizes = np.diff(adjacency.indptr)
    rows = np.repeat(np.arange(count), sizes)
    order = np.lexsort((-adjacency.data, rows))
    column = np.arange(adjacency.nnz) - np.repeat(adjacency.indptr[:-1], sizes)
    kept = column < MOST_NEIGHBOURS
    width = int(max(1, min(MOST_NEIGHBOURS, sizes.max(initial=0))))
    table = np.full((count, width), count, dtype=np.int64)
    table[rows[kept], column[kept]] = adjacency.indices[order][kept]
    return table


def build_network(config: TrainingConfig, features: int, classes: int) -> nn.Module:
    """Return an LGCN with freshly drawn weights."""
    return LgcnNetwork(config, features, classes)


def make_views(
    graph: Graph, _config: TrainingConfig, device: torch.device
) -> PreparedViews[NeighbourView]:
    """Return edges and neighbour tables."""

    def prepare(adjacency: SparseMatrix) -> NeighbourView:
        table = torch.from_numpy(neighbour_table(adjacency)).to(device)
        return NeighbourView(normalised_edges(adjacency, device), table)

    return PreparedViews(graph, prepare)
