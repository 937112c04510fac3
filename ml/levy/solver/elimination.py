"""Symbolic analysis: the pattern of the factors of a graph's shifted Laplacians."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ml.arrays import IntArray
from ml.compute.compiled import compiled
from ml.levy.solver.ordering import Int32Array, Ordering


class FactorPattern(NamedTuple):
    """The strict lower triangle of a factor by columns: ``rows[starts[j]:starts[j + 1]]``.

    Rows ascend; all rows of a column but the first are also rows of the column of that first.
    Columns of a dense core, which come last, are left out; their rows are not.
    Shapes: starts (F + 1,) for F = N - core columns, rows (entries,).
    """

    starts: IntArray
    rows: Int32Array


@dataclass(frozen=True, eq=False)
class Elimination:
    """An order of elimination and the pattern of the factors that follows from it.

    ``order[k]`` is the node eliminated k-th. ``pairs`` are the edges as positions in that
    order, later node first; ``outer`` are those with an end outside the core, ``entries`` is
    where these stand in the pattern; a numeric factorisation takes that many ``products``.
    Shapes: order (N,), pairs (M, 2), outer (O,), entries (O,).
    """

    order: IntArray
    pairs: IntArray
    outer: IntArray
    entries: IntArray
    pattern: FactorPattern
    products: int

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return len(self.order)

    @property
    def fringe(self) -> int:
        """Number of nodes that are eliminated one by one, before the core."""
        return len(self.pattern.starts) - 1

    @property
    def has_core(self) -> bool:
        """True if the last nodes are a dense core."""
        return self.fringe < self.node_count


def analyse(ordering: Ordering, pairs: IntArray) -> Elimination:
    """Find the pattern of every ``L + tI`` and the positions of the edges in it.

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
    outer = np.flatnonzero(placed[:, 1] < len(ordering.counts))
    entries = _find_entries(pattern, placed[outer])
    return Elimination(ordering.order, placed, outer, entries, pattern, ordering.fill.products)


@compiled
def _fill_rows(
    starts: Int32Array, neighbours: Int32Array, parents: IntArray, column_starts: IntArray
) -> Int32Array:
    """Walk the row subtrees again and write each row into the columns on the way."""
    count, fringe = len(parents), len(column_starts) - 1
    following = column_starts[:fringe].copy()
    rows = np.empty(column_starts[fringe], dtype=np.int32)
    seen = np.full(count, -1, dtype=np.int64)
    for row in range(count):
        seen[row] = row
        for entry in range(starts[row], starts[row + 1]):
            column = np.int64(neighbours[entry])
            while column < min(row, fringe) and seen[column] != row:
                seen[column] = row
                rows[following[column]] = row
                following[column] += 1
                column = parents[column]
    return rows


@compiled
def _find_entries(pattern: FactorPattern, pairs: IntArray) -> IntArray:
    entries = np.empty(len(pairs), dtype=np.int64)
    for position in range(len(pairs)):
        row, column = pairs[position]
        low, high = pattern.starts[column], pattern.starts[column + 1] - 1
        while low < high:
            middle = (low + high) // 2
            if pattern.rows[middle] < row:
                low = middle + 1
            else:
                high = middle
        entries[position] = low
    return entries
