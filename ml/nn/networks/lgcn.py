"""LGCN of Gao et al. (2018), learnable graph convolution, written from its paper."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ml.arrays import SparseMatrix
from ml.graph.graph import Graph
from ml.methods.lgcn import LgcnSettings
from ml.nn.kernels.dropout import drop
from ml.nn.networks.gcn import GcnLayer
from ml.nn.parts.edge_views import PreparedViews, RowView
from ml.nn.parts.row_product import SymmetricRows, normalise

LARGEST = 8
"""How many neighbours each column keeps: k of the paper."""
MOST_NEIGHBOURS = 64
"""Hubs are cut to this many neighbours, those of the largest weight."""
EMBEDDING_SHARE = 4
"""Channels of the embedding per channel of a learnable layer: 32 and 8 in the paper."""


Table = Tensor
"""Some nodes of like degree, (1 + D, n): each above its neighbours, N where there is none."""


@dataclass(frozen=True, eq=False)
class NeighbourView:
    """Normalised edges, tables that hold every node once, and each node's place among them."""

    edges: RowView
    tables: list[Table]
    places: Tensor


class LearnableLayer(nn.Module):
    """The k largest values of each column among the neighbours, then ordinary convolution.

    Equation: Gao et al. (2018), Sec. 3.2: g (select) makes of each node a (k + 1) x C grid,
        its own values on top, zeros where neighbours lack; c is a two-layer 1-D convolution.
        Dropout before both convolutions and the batch's own normalisation after them are the
        authors' program's.
    Cost: both convolutions are matrix products over the flattened grid. Rows of zeros are
        never made: half the nodes of a citation graph have one neighbour or two.
    Shapes: (N, C) -> (N, outputs).
    """

    def __init__(self, inputs: int, outputs: int, dropout: float) -> None:
        super().__init__()
        first = LARGEST // 2 + 1
        middle = (inputs + outputs) // 2
        self.narrow = nn.Conv1d(inputs, middle, kernel_size=first)
        self.close = nn.Conv1d(middle, outputs, kernel_size=LARGEST + 2 - first, bias=False)
        self.norm = nn.BatchNorm1d(outputs, track_running_stats=False)
        self._dropout = dropout

    def forward(self, signal: Tensor, view: NeighbourView) -> Tensor:
        """Return the convolved grid."""
        narrow, close = unroll(self.narrow, LARGEST + 1), unroll(self.close, self._positions)
        bias = cast("Tensor", self.narrow.bias).repeat(self._positions)
        parts = []
        for rows in gather_largest(signal, view.tables):
            grid = self._drop(torch.cat(rows, dim=1))
            parts.append(functional.relu(torch.addmm(bias, grid, narrow[: grid.shape[1]])))
        closed = self._drop(torch.cat(parts)) @ close
        normed: Tensor = self.norm(closed.index_select(0, view.places))
        return normed

    @property
    def _positions(self) -> int:
        return self.close.kernel_size[0]

    def _drop(self, signal: Tensor) -> Tensor:
        return drop(signal, self._dropout, training=self.training)


def unroll(convolution: nn.Conv1d, length: int) -> Tensor:
    """Write a 1-D convolution over ``length`` rows as one matrix.

    Equation: ``T[(r, c), (t, m)] = kernel[m, c, r - t]``, zero outside of the kernel.
    Shapes: kernel (M, C, s) -> (length C, (length - s + 1) M).
    """
    taps = convolution.weight.permute(2, 1, 0)
    spare = length - len(taps)
    shifted = [functional.pad(taps, (0, 0, 0, 0, t, spare - t)) for t in range(spare + 1)]
    return torch.stack(shifted, dim=2).flatten(2).flatten(0, 1)


def gather_largest(signal: Tensor, tables: list[Table]) -> Iterator[list[Tensor]]:
    """Yield for each table its nodes' own values and the largest among their neighbours.

    Cost: one gathering for all tables, because each has a scattering in the backward pass.
    Shapes: (N, C) -> for each table at most 1 + k times (n, C), zeros where neighbours lack.
    """
    padded = functional.pad(signal, (0, 0, 0, 1))
    gathered = padded.index_select(0, torch.cat([table.flatten() for table in tables]))
    parts = torch.split(gathered, [table.numel() for table in tables])
    for table, part in zip(tables, parts, strict=True):
        rows = part.view(*table.shape, -1)
        absent = (table[1:] == len(signal)).unsqueeze(-1)
        yield [rows[0], *largest_values(rows[1:], absent)]


def largest_values(rows: Tensor, absent: Tensor) -> Tensor:
    """Rank each column separately among a node's neighbours.

    Equation: Gao et al. (2018), the k-largest node selection of Fig. 2.
    Cost: the order is computed in doubles, whose spare bits carry the neighbour's position, so
        that sorting takes only maxima and minima of whole rows: a tenth of ``topk``.
    Shapes: (D, n, C), (D, n, 1) -> (at most k, n, C), descending, those absent below.
    """
    width = len(rows)
    if width == 1:
        return rows
    with torch.no_grad():
        keys = rows.double().masked_fill_(absent, torch.finfo(rows.dtype).min)
        positions = torch.arange(width, device=rows.device).view(-1, 1, 1)
        marked = keys.view(torch.int64).bitwise_or_(positions).view(torch.float64)
        ranked = torch.stack(sort_rows(list(marked)))
        ranking = ranked.view(torch.int64).bitwise_and_(width - 1)
    return rows.gather(0, ranking)


def sort_rows(rows: list[Tensor]) -> list[Tensor]:
    """Sort a power of two of tensors value by value, by Batcher's bitonic merging.

    Returns: the largest values first, in at most k tensors.
    """
    if len(rows) == 1:
        return rows
    half = len(rows) // 2
    pairs = list(zip(sort_rows(rows[:half]), reversed(sort_rows(rows[half:])), strict=True))
    top = _order_bitonic([torch.maximum(*pair) for pair in pairs])
    if len(top) == LARGEST:
        return top
    return top + _order_bitonic([torch.minimum(*pair) for pair in pairs])


def _order_bitonic(rows: list[Tensor]) -> list[Tensor]:
    if len(rows) == 1:
        return rows
    half = len(rows) // 2
    pairs = list(zip(rows[:half], rows[half:], strict=True))
    larger, smaller = (
        [choose(*pair) for pair in pairs] for choose in (torch.maximum, torch.minimum)
    )
    return _order_bitonic(larger) + _order_bitonic(smaller)


class LgcnNetwork(nn.Module):
    """A linear graph embedding, learnable layers joined to their inputs, a GCN layer on top.

    Equation: Gao et al. (2018), Fig. 3; ``layers`` counts embedding and output too.
    Deviation: full graph instead of sampled sub-graphs, as all graphs here fit; Adam.
    Shapes: features (N, Q) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    def __init__(self, config: LgcnSettings, features: int, classes: int) -> None:
        super().__init__()
        self.embedding = GcnLayer(features, config.width, normalize=False)
        columns = config.width
        added = max(1, config.width // EMBEDDING_SHARE)
        self.layers = nn.ModuleList()
        for _ in range(max(1, config.layers - 2)):
            self.layers.append(LearnableLayer(columns, added, config.dropout))
            columns += added
        self.output = GcnLayer(columns, classes, normalize=False)
        self._dropout = config.dropout

    def forward(self, features: Tensor, view: NeighbourView, nodes: Tensor | None) -> Tensor:
        """Return logits at ``nodes``, or everywhere if that is None."""
        signal = self.embedding(self._drop(features), *view.edges)
        for layer in self.layers:
            signal = torch.cat([signal, layer(signal, view)], dim=1)
        logits: Tensor = self.output(self._drop(signal), *view.edges)
        return logits if nodes is None else logits[nodes]

    def _drop(self, signal: Tensor) -> Tensor:
        return drop(signal, self._dropout, training=self.training)


def neighbour_tables(adjacency: SparseMatrix, device: torch.device) -> list[Table]:
    """List each node's neighbours, the heaviest first, grouped by similar degree.

    Tables are 1, 2, 4, ... 64 wide: a single one would be as wide as the largest hub and
    nearly empty. Nodes without neighbours are in the first.
    """
    degrees = np.diff(adjacency.indptr)
    rows = np.repeat(np.arange(len(degrees)), degrees)
    heaviest_first = adjacency.indices[np.lexsort((-adjacency.data, rows))]
    degrees = np.minimum(degrees, MOST_NEIGHBOURS)
    tables: list[Table] = []
    narrower, width = -1, 1
    while narrower < degrees.max(initial=0):
        nodes = np.flatnonzero((degrees > narrower) & (degrees <= width))
        columns = np.arange(width)[:, None]
        present = columns < degrees[nodes]
        members = np.full((1 + width, len(nodes)), len(degrees), dtype=np.int64)
        members[0] = nodes
        members[1:][present] = heaviest_first[(adjacency.indptr[nodes] + columns)[present]]
        if len(nodes):
            tables.append(torch.from_numpy(members).to(device))
        narrower, width = width, 2 * width
    return tables


def build_network(config: LgcnSettings, features: int, classes: int) -> nn.Module:
    """Return an LGCN with freshly drawn weights."""
    return LgcnNetwork(config, features, classes)


def make_views(
    graph: Graph, _config: LgcnSettings, device: torch.device
) -> PreparedViews[NeighbourView]:
    """Return edges and neighbour tables."""

    def prepare(adjacency: SparseMatrix) -> NeighbourView:
        tables = neighbour_tables(adjacency, device)
        places = torch.cat([table[0] for table in tables]).argsort()
        edges = (SymmetricRows(normalise(adjacency, self_loops=True), device),)
        return NeighbourView(edges, tables, places)

    return PreparedViews(graph, prepare)
