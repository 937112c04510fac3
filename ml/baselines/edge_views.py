"""The graph views that message-passing baselines share."""

from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np
import torch
from torch import Tensor
from torch_geometric.nn.conv.gcn_conv import gcn_norm

from ml.arrays import IntArray, SparseMatrix
from ml.config import TrainingConfig
from ml.graph import Graph, censor_pairs

EdgeView = tuple[Tensor, Tensor]
"""Edge index (2, E), both directions of every pair, and weights (E,)."""

View = TypeVar("View")


class PreparedViews(Generic[View]):
    """What a method makes of the adjacency: once of the whole graph, anew of censored ones."""

    def __init__(self, graph: Graph, prepare: Callable[[SparseMatrix], View]) -> None:
        self._adjacency = graph.adjacency
        self._prepare = prepare
        self._whole = prepare(graph.adjacency)

    def whole(self) -> View:
        """Return the view of the graph as it is."""
        return self._whole

    def censored(self, pairs: IntArray) -> View:
        """Return the view of the graph without ``pairs``, (k, 2)."""
        return self._prepare(censor_pairs(self._adjacency, pairs))


def edge_tensors(adjacency: SparseMatrix, device: torch.device) -> EdgeView:
    """Return the entries of a sparse matrix as edge index and weights."""
    entries = adjacency.tocoo()
    index = torch.from_numpy(np.stack([entries.row, entries.col]).astype(np.int64))
    weights = torch.from_numpy(np.asarray(entries.data, dtype=np.float32))
    return index.to(device), weights.to(device)


def normalised_edges(
    adjacency: SparseMatrix, device: torch.device, *, self_loops: bool = True
) -> EdgeView:
    """Return the edges under the symmetric normalisation of GCN.

    Equation: Kipf and Welling (2017), ``D^-1/2 (W + I) D^-1/2``, without ``I`` if
        ``self_loops`` is false.
    """
    index, weights = edge_tensors(adjacency, device)
    return gcn_norm(  # type: ignore[no-any-return]  # torch_geometric is untyped
        index, weights, adjacency.shape[0], improved=False, add_self_loops=self_loops
    )


def sparse_tensor(view: EdgeView, node_count: int) -> Tensor:
    """Return edges as a sparse matrix in compressed rows, for products with dense ones."""
    index, weights = view
    entries = torch.sparse_coo_tensor(
        index, weights, (node_count, node_count), check_invariants=False
    )
    return entries.coalesce()


def raw_edge_views(
    graph: Graph, _config: TrainingConfig, device: torch.device
) -> PreparedViews[EdgeView]:
    """Return the edges as they are, for layers that normalise by themselves."""
    return PreparedViews(graph, lambda adjacency: edge_tensors(adjacency, device))


def normalised_edge_views(
    graph: Graph, _config: TrainingConfig, device: torch.device
) -> PreparedViews[EdgeView]:
    """Return the edges under the normalisation of GCN."""
    return PreparedViews(graph, lambda adjacency: normalised_edges(adjacency, device))
