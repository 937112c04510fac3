"""Graph views that several message-passing networks share."""

from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np
import torch
from torch import Tensor

from ml.arrays import IntArray, SparseMatrix
from ml.config.settings import NetworkSettings
from ml.graph.graph import Graph, censor_pairs
from ml.nn.parts.row_product import SymmetricRows, normalise

EdgeView = tuple[Tensor]
"""Edge index (2, E), both directions of every pair."""
RowView = tuple[SymmetricRows]
"""The normalised adjacency."""

View = TypeVar("View")


class PreparedViews(Generic[View]):
    """The view of the whole graph, prepared once, and of censored graphs, prepared per call."""

    def __init__(self, graph: Graph, prepare: Callable[[SparseMatrix], View]) -> None:
        self._adjacency = graph.adjacency
        self._prepare = prepare
        self._whole = prepare(graph.adjacency)

    def whole(self) -> View:
        """Return the view of the whole graph."""
        return self._whole

    def censored(self, pairs: IntArray) -> View:
        """Return the view of the graph without ``pairs``, (k, 2)."""
        return self._prepare(censor_pairs(self._adjacency, pairs))


def edge_views(
    graph: Graph, _config: NetworkSettings, device: torch.device
) -> PreparedViews[EdgeView]:
    """Return the edges without their weights, for layers that compute weights themselves."""

    def prepare(adjacency: SparseMatrix) -> EdgeView:
        entries = adjacency.tocoo()
        index = np.stack([entries.row, entries.col]).astype(np.int64)
        return (torch.from_numpy(index).to(device),)

    return PreparedViews(graph, prepare)


def normalised_views(
    graph: Graph, _config: NetworkSettings, device: torch.device
) -> PreparedViews[RowView]:
    """Return the adjacency with self-loops under the normalisation of GCN."""
    return PreparedViews(
        graph, lambda adjacency: (SymmetricRows(normalise(adjacency, self_loops=True), device),)
    )


def loopless_views(
    graph: Graph, _config: NetworkSettings, device: torch.device
) -> PreparedViews[RowView]:
    """Return the adjacency without self-loops under the normalisation of GCN."""
    return PreparedViews(
        graph, lambda adjacency: (SymmetricRows(normalise(adjacency, self_loops=False), device),)
    )
