"""The order of elimination and the size of the factors that follows from it."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import scipy.sparse.linalg as spl

from ml.arrays import IntArray, SparseMatrix
from ml.compute.compiled import compiled
from ml.levy.limits import CORE_PRODUCTS

Int32Array = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]

_LONG_COLUMNS = (50, 100, 200, 400, 800)
_AS_SPARSE = 60
"""Cost of a sparse product in dense ones; factor and inverse take three sparse products each."""


@dataclass(frozen=True, slots=True)
class FillIn:
    """The size of the factors: their entries and the products to compute them.

    ``core`` is the number of nodes in a dense core, which is not included in either.
    """

    entries: int
    products: int
    core: int = 0

    @property
    def stored(self) -> int:
        """Numbers stored per pole."""
        return self.entries + self.core**2


@dataclass(frozen=True, eq=False)
class Ordering:
    """An order of elimination and the number of entries in each column of a factor.

    ``permuted`` is the adjacency in that order, ``parents`` its elimination tree. The last
    N - F nodes are a dense core.
    Shapes: order (N,), parents (N,), counts (F,).
    """

    order: IntArray
    permuted: SparseMatrix
    parents: IntArray
    counts: IntArray

    @property
    def fill(self) -> FillIn:
        """The size of the factors."""
        core = len(self.order) - len(self.counts)
        return FillIn(int(self.counts.sum()), int(_products(self.counts).sum()), core)


def order_nodes(adjacency: SparseMatrix, core_products: int = CORE_PRODUCTS) -> Ordering:
    """Order the nodes by minimum degree and count the entries that follow.

    Deviation: the order is that of SuperLU (multiple minimum degree), sorted into a postorder
        of the elimination tree, which stores close together what is computed together. Where
        a factorisation takes more than ``core_products`` products, a dense core is sought:
        citation graphs are trees around one, in which nearly all nodes are connected.
    Cost: O(entries of the factor) time, O(edges) memory.
    """
    order = _minimum_degree(adjacency)
    permuted = _permuted(adjacency, order)
    order = order[_postorder(_elimination_tree(permuted.indptr, permuted.indices))]
    permuted = _permuted(adjacency, order)
    parents = _elimination_tree(permuted.indptr, permuted.indices)
    counts = _column_counts(permuted.indptr, permuted.indices, parents)
    ordering = Ordering(order, permuted, parents, counts)
    return _with_core(adjacency, ordering) if ordering.fill.products > core_products else ordering


def _with_core(adjacency: SparseMatrix, ordering: Ordering) -> Ordering:
    """Move long columns to the end, where they form a full block, if that is cheaper."""
    products = _products(ordering.counts)
    cheapest, chosen = _AS_SPARSE * int(products.sum()), np.zeros(len(products), dtype=np.bool_)
    for length in _LONG_COLUMNS:
        core = _close_upwards(ordering.counts >= length, ordering.parents)
        cost = _AS_SPARSE * int(products[~core].sum()) + int(core.sum()) ** 3
        if cost < cheapest:
            cheapest, chosen = cost, core
    moved = np.concatenate([np.flatnonzero(~chosen), np.flatnonzero(chosen)])
    place = np.full(len(moved) + 1, -1, dtype=np.int64)
    place[moved] = np.arange(len(moved))
    order = ordering.order[moved]
    # The last place, -1, belongs to the parent of the roots.
    parents = place[ordering.parents[moved]]
    return Ordering(order, _permuted(adjacency, order), parents, ordering.counts[~chosen])


def _products(counts: IntArray) -> IntArray:
    return counts * (counts + 1) // 2


def _minimum_degree(adjacency: SparseMatrix) -> IntArray:
    """Return SuperLU's order; an incomplete factorisation avoids the cost of the factors."""
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
def _close_upwards(chosen: BoolArray, parents: IntArray) -> BoolArray:
    """Choose the ancestors of chosen nodes too."""
    closed = chosen.copy()
    for node in range(len(closed)):
        if closed[node] and parents[node] != -1:
            closed[parents[node]] = True
    return closed
