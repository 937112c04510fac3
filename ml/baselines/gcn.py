"""GCN of Kipf and Welling (2017) from PyTorch Geometric."""

from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.nn import GCNConv
from torch_geometric.nn.conv.gcn_conv import gcn_norm

from ml.arrays import IntArray, SparseMatrix
from ml.config import TrainingConfig
from ml.graph import Graph, censor_pairs

EdgeView = tuple[Tensor, Tensor]
"""Edge index (2, E) and normalised weights (E,), self-loops included."""


class GcnNetwork(nn.Module):
    """Graph convolutions with ReLU between them and dropout before each.

    Equation: Kipf and Welling (2017), ``D^-1/2 (W + I) D^-1/2 H W``.
    Deviation: the normalisation is done once a view instead of inside the layer (its
        ``cached=True`` would keep the first censored graph for ever).
    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    def __init__(self, config: TrainingConfig, features: int, classes: int) -> None:
        super().__init__()
        widths = [features, *[config.width] * (config.layers - 1), classes]
        self.layers = nn.ModuleList(
            GCNConv(inputs, outputs, normalize=False) for inputs, outputs in pairwise(widths)
        )
        self._dropout = config.dropout

    def forward(self, features: Tensor, view: EdgeView, nodes: Tensor | None) -> Tensor:
        """Return logits at ``nodes``, or everywhere if that is None."""
        signal = features
        for position, layer in enumerate(self.layers):
            if position > 0:
                signal = functional.relu(signal)
            signal = functional.dropout(signal, self._dropout, training=self.training)
            signal = layer(signal, *view)
        return signal if nodes is None else signal[nodes]


class EdgeViews:
    """The normalised edges of the whole graph and of censored graphs."""

    def __init__(self, graph: Graph, device: torch.device) -> None:
        self._adjacency = graph.adjacency
        self._device = device
        self._whole = self._normalise(graph.adjacency)

    def whole(self) -> EdgeView:
        """Return the edges of the graph as it is."""
        return self._whole

    def censored(self, pairs: IntArray) -> EdgeView:
        """Return the edges of the graph without ``pairs``, (k, 2)."""
        return self._normalise(censor_pairs(self._adjacency, pairs))

    def _normalise(self, adjacency: SparseMatrix) -> EdgeView:
        entries = adjacency.tocoo()
        index = torch.from_numpy(np.stack([entries.row, entries.col]).astype(np.int64))
        weights = torch.from_numpy(entries.data).float()
        nodes = adjacency.shape[0]
        index, weights = gcn_norm(index, weights, nodes, improved=False, add_self_loops=True)
        return index.to(self._device), weights.to(self._device)


def build_network(config: TrainingConfig, features: int, classes: int) -> nn.Module:
    """Return a GCN with freshly drawn weights."""
    return GcnNetwork(config, features, classes)


def make_views(graph: Graph, _config: TrainingConfig, device: torch.device) -> EdgeViews:
    """Return the edges GCN passes messages along."""
    return EdgeViews(graph, device)
