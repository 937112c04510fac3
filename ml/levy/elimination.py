"""Which entries the factors of a graph's shifted Laplacians have, whatever their values."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import scipy.sparse.linalg as spl

from ml.arrays import IntArray, SparseMatrix
from ml.levy.compiled import compiled

Int32Array = npt.NDArray[np.int32]


class FactorPattern(NamedTuple):
    """The strict lower triangle of a factor by columns: ``rows[starts[j]:starts[j + 1]]``.

    Rows ascend, and those of a column beyond its first are among the rows of that first.
    Shapes: starts (N + 1,), rows (entries,).
    """

    starts: IntArray
    rows: Int32Array


@dataclass(frozen=True, eq=False)
class Elimination:
    """An order of elimination and the pattern of the factors that follows from it.

    ``order[k]`` is the node that goes k-th. ``pairs`` are the edges as positions in that
    order, later node first; ``pair_entries`` is where each stands in the pattern; a numeric
    factorisation takes that many ``products``.
    Shapes: order (N,), pairs (M, 2), pair_entries (M,).
    """

    order: IntArray
    pairs: IntArray
    pair_entries: IntArray
    pattern: FactorPattern
    products: int

    @property
    def node_count(self) -> int:
        """How many nodes are eliminated."""
        return len(self.order)


@dataclass(frozen=True, slots=True)
class FillIn:
    """How large the factors would be: their entries and the products to compute them."""

    entries: int
    products: int


@dataclass(frozen=True, eq=False)
class Ordering:
    """An order of elimination and how many entries each column of a factor will have.

    ``permuted`` is the adjacency in that order, ``parents`` its elimination tree.
    Shapes: order (N,), parents (N,), counts (N,).
    """

    order: IntArray
    permuted: SparseMatrix
    parents: IntArray
    counts: IntArray

    @property
    def fill(self) -> FillIn:
        """The size of the factors."""
        products = self.counts * (self.counts + 1) // 2
        return FillIn(int(self.counts.sum()), int(products.sum()))


def order_nodes(adjacency: SparseMatrix) -> Ordering:
    """Order the nodes by minimum degree and count the entries that follow.

    Deviation: the order is that of SuperLU (multiple minimum degree), sorted into a postorder
        of the elimination tree, which keeps what is computed together near in memory.
    Cost: O(entries of the factor) time, O(edges) memory.
    """
    order = _minimum_degree(adjacency)
    permuted = _permuted(adjacency, order)
    order = order[_postorder(_elimination_tree(permuted.indptr, permuted.indices))]
    permuted = _permuted(adjacency, order)
    parents = _elimination_tree(permuted.indptr, permuted.indices)
    counts = _column_counts(permuted.indptr, permuted.indices, parents)
    return Ordering(order, permuted, parents, counts)


def analyse(ordering: Ordering, pairs: IntArray) -> Elimination:
    """Find the pattern of every ``L + tI`` and where the edges stand in it.

    Cost: O(entries of the factor) time and memory.
    Shapes: pairs (M, 2) of nodes -> elimination.
    """
    permuted = ordering.permuted
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(ordering.counts)])
    rows = _fill_rows(permuted.indptr, permuted.indices, ordering.parents, starts)
    pattern = FactorPattern(starts, rows)
    place = np.empty_like(ordering.order)
    place[ordering.order] = np.arange(len(place))
    placed = place[pairs].reshape(-1, 2)
    placed = np.stack([placed.max(axis=1), placed.min(axis=1)], axis=1)
    entries = _find_entries(pattern, placed)
    return Elimination(ordering.order, placed, entries, pattern, ordering.fill.products)


def _minimum_degree(adjacency: SparseMatrix) -> IntArray:
    """Ask SuperLU for its order; an incomplete factor keeps the price to that of the order."""
    count = adjacency.shape[0]
    pattern = sp.csc_array(
        (np.full(adjacency.nnz, -1.0), adjacency.indices, adjacency.indptr), shape=adjacency.shape
    )
    system = sp.csc_array(pattern + sp.diags_array(np.diff(adjacency.indptr) + 1.0))
    factor = spl.spilu(
        system,
        drop_tol=1.0,
        fill_factor=1,
        drop_rule="basic",
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0,
        options={"SymmetricMode": True},
    )
    order = np.empty(count, dtype=np.int64)
    order[factor.perm_c] = np.arange(count)
    return order


def _permuted(adjacency: SparseMatrix, order: IntArray) -> SparseMatrix:
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    entries = adjacency.tocoo()
    return sp.csr_array(
        (entries.data, (place[entries.row], place[entries.col])), shape=adjacency.shape
    )


@compiled
def _elimination_tree(starts: Int32Array, neighbours: Int32Array) -> IntArray:
    """Return the parent of each node in the elimination tree, -1 for roots (Liu 1986)."""
    count = len(starts) - 1
    parents = np.full(count, -1, dtype=np.int64)
    ancestors = np.full(count, -1, dtype=np.int64)
    for node in range(count):
        for entry in range(starts[node], starts[node + 1]):
            step = np.int64(neighbours[entry])
            while step != -1 and step < node:
                above = ancestors[step]
                ancestors[step] = node
                if above == -1:
                    parents[step] = node
                step = above
    return parents


@compiled
def _postorder(parents: IntArray) -> IntArray:
    """Return the nodes so that every subtree is contiguous and ends with its root."""
    count = len(parents)
    # The last element collects the roots, whose parent is -1.
    child = np.full(count + 1, -1, dtype=np.int64)
    sibling = np.full(count, -1, dtype=np.int64)
    for node in range(count - 1, -1, -1):
        sibling[node] = child[parents[node]]
        child[parents[node]] = node
    order = np.empty(count, dtype=np.int64)
    stack = np.empty(count + 1, dtype=np.int64)
    stack[0] = count
    height, placed = 1, 0
    while height > 0:
        node = stack[height - 1]
        below = child[node]
        if below != -1:
            child[node] = sibling[below]
            stack[height] = below
            height += 1
            continue
        height -= 1
        if node < count:
            order[placed] = node
            placed += 1
    return order


@compiled
def _column_counts(starts: Int32Array, neighbours: Int32Array, parents: IntArray) -> IntArray:
    """Count the entries of each column below the diagonal by walking the row subtrees."""
    count = len(parents)
    seen = np.full(count, -1, dtype=np.int64)
    counts = np.zeros(count, dtype=np.int64)
    for row in range(count):
        seen[row] = row
        for entry in range(starts[row], starts[row + 1]):
            column = np.int64(neighbours[entry])
            while column < row and seen[column] != row:
                seen[column] = row
                counts[column] += 1
                column = parents[column]
    return counts


@compiled
def _fill_rows(
    starts: Int32Array, neighbours: Int32Array, parents: IntArray, column_starts: IntArray
) -> Int32Array:
    """Walk the row subtrees again and write each row into the columns it meets."""
    count = len(parents)
    following = column_starts[:count].copy()
    rows = np.empty(column_starts[count], dtype=np.int32)
    seen = np.full(count, -1, dtype=np.int64)
    for row in range(count):
        seen[row] = row
        for entry in range(starts[row], starts[row + 1]):
            column = np.int64(neighbours[entry])
            while column < row and seen[column] != row:
                seen[column] = row
                rows[following[column]] = row
                following[column] += 1
                column = parents[column]
    return rows


@compiled
def _find_entries(pattern: FactorPattern, pairs: IntArray) -> IntArray:
    found = np.empty(len(pairs), dtype=np.int64)
    for position in range(len(pairs)):
        row, column = pairs[position]
        low, high = pattern.starts[column], pattern.starts[column + 1] - 1
        while low < high:
            middle = (low + high) // 2
            if pattern.rows[middle] < row:
                low = middle + 1
            else:
                high = middle
        found[position] = low
    return found
