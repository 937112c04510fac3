"""MotifNet of Monti et al. (2018), written from its paper."""

from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ml.arrays import IntArray
from ml.graph.graph import Graph
from ml.methods.motifnet import MotifnetSettings
from ml.nn.kernels.dropout import drop
from ml.nn.networks import chebnet
from ml.nn.parts.motifs import motif_matrices
from ml.nn.parts.row_product import SymmetricRows, normalise
from ml.nn.sparse import apply_linear

MATRIX_COUNT = 14
"""The symmetric adjacency and the thirteen motifs."""

MotifView = list[tuple[int, SymmetricRows]]
"""The plain adjacency and each motif matrix that is not empty: number and matrix, normalised."""


class MotifLayer(nn.Module):
    """A polynomial whose every step mixes the motif Laplacians by attention.

    Equation: Monti et al. (2018), Eqs. (8) and (9): ``P_0 = H``,
        ``P_(k+1) = sum_j a_(k,j) L_j P_k``, output ``sum_k P_k W_k``, ``a_k`` a softmax.
    Deviation: ``L_j`` is ``-D^-1/2 M_j D^-1/2``, the normalised motif Laplacian shifted by
        ``-I`` so that its spectrum lies in [-1, 1]; ``W_k`` absorbs the sign. The plain
        adjacency is one of the matrices, because small grids have few motifs.
    Shapes: (N, in) -> (N, out).
    """

    def __init__(self, inputs: int, outputs: int, order: int) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs * (order + 1), outputs)
        self.attention = nn.Parameter(torch.zeros(order, MATRIX_COUNT))

    def forward(self, signal: Tensor, view: MotifView) -> Tensor:
        """Return the filtered signal."""
        present = [number for number, _ in view]
        steps = [signal]
        for scores in self.attention:
            shares = functional.softmax(scores[present], dim=0)
            images = [matrix.apply(steps[-1]) for _, matrix in view]
            steps.append((shares[:, None, None] * torch.stack(images)).sum(0))
        filtered: Tensor = self.linear(torch.cat(steps, dim=1))
        return filtered


class MotifNetwork(nn.Module):
    """Motif layers with ReLU between them and dropout before each.

    Deviation: features pass a linear map to ``width`` columns first if they are wider, so
        that the matrices act on few columns.
    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    def __init__(self, config: MotifnetSettings, features: int, classes: int) -> None:
        super().__init__()
        order = (
            chebnet.DEFAULT_ORDER if config.filter_order is None else max(1, config.filter_order)
        )
        wide = features > 4 * config.width
        self.entrance = nn.Linear(features, config.width) if wide else None
        columns = config.width if wide else features
        widths = [columns, *[config.width] * (config.layers - 1), classes]
        self.layers = nn.ModuleList(
            MotifLayer(inputs, outputs, order) for inputs, outputs in pairwise(widths)
        )
        self._dropout = config.dropout

    def forward(self, features: Tensor, view: MotifView, nodes: Tensor | None) -> Tensor:
        """Return logits at ``nodes``, or everywhere if that is None."""
        signal = features
        if self.entrance is not None:
            signal = apply_linear(self.entrance, self._drop(signal))
        for position, layer in enumerate(self.layers):
            if position > 0:
                signal = functional.relu(signal)
            signal = layer(self._drop(signal), view)
        return signal if nodes is None else signal[nodes]

    def _drop(self, signal: Tensor) -> Tensor:
        return drop(signal, self._dropout, training=self.training)


class MotifViews:
    """The motif matrices of the whole graph and of censored graphs."""

    def __init__(self, graph: Graph, device: torch.device) -> None:
        self._graph = graph
        self._device = device
        self._whole = self._prepare(graph.edges)

    def whole(self) -> MotifView:
        """Return the motifs of the graph as it is."""
        return self._whole

    def censored(self, pairs: IntArray) -> MotifView:
        """Return the motifs of the graph without ``pairs``, (k, 2), in either direction."""
        count = self._graph.node_count
        keys = np.sort(self._graph.edges, axis=1) @ np.array([count, 1])
        gone = np.sort(pairs, axis=1) @ np.array([count, 1])
        return self._prepare(self._graph.edges[~np.isin(keys, gone)])

    def _prepare(self, edges: IntArray) -> MotifView:
        count = self._graph.node_count
        plain = Graph(count, edges, np.ones(len(edges))).adjacency
        motifs = motif_matrices(edges, count, directed=self._graph.directed)
        return [
            (number, SymmetricRows(normalise(matrix, self_loops=False), self._device))
            for number, matrix in enumerate([plain, *motifs])
            if matrix.nnz or number == 0
        ]


def build_network(config: MotifnetSettings, features: int, classes: int) -> nn.Module:
    """Return a MotifNet with freshly drawn weights."""
    return MotifNetwork(config, features, classes)


def make_views(graph: Graph, _config: MotifnetSettings, device: torch.device) -> MotifViews:
    """Return the motif matrices."""
    return MotifViews(graph, device)
