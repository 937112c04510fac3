"""Edge weights that labels spread by: bridges between voltage levels, contrast of the ends."""

import numpy as np

from ml.arrays import BoolArray, FloatArray, SparseMatrix
from ml.graph.graph import Graph

_MOST_LEVELS = 20
"""Most distinct values of a column that divides the nodes into levels."""
_SMOOTH = 0.5
"""Share of a column's variance that neighbours have in common from which it counts as smooth."""


def weigh_edges(graph: Graph, bridges: float, contrast: float) -> SparseMatrix:
    """Return the adjacency with the weights that labels are spread by.

    Edges between nodes of different levels weigh ``bridges`` times as much. A level is a value of
    a feature with few distinct values, such as the base voltage: an edge between two base voltages
    is a transformer, whose ends are in one substation. All edges weigh ``exp(-contrast d)`` times
    as much, where d is the difference of their ends in the smooth features, relative to the median
    over the edges: a line with a large angle difference is long.

    Shapes: (N, N) symmetric.
    """
    entries = graph.adjacency.tocoo()
    columns = graph.features.T
    unlike = np.zeros(entries.nnz, dtype=bool)
    apart = np.zeros(entries.nnz)
    for column in columns:
        gaps = np.abs(column[entries.row] - column[entries.col])
        if _has_levels(column):
            unlike |= gaps > 0
        elif contrast > 0 and _is_smooth(column, gaps):
            apart += gaps / np.median(gaps[gaps > 0])
    entries.data = entries.data * np.where(unlike, bridges, 1.0) * np.exp(-contrast * apart)
    return entries.tocsr()


def _has_levels(column: FloatArray) -> bool:
    return 1 < len(np.unique(column)) <= _MOST_LEVELS


def _is_smooth(column: FloatArray, gaps: FloatArray) -> bool:
    """Return whether a column differs less over edges than between arbitrary nodes."""
    moves: BoolArray = gaps > 0
    variance = column.var()
    return bool(moves.any() and 1 - np.square(gaps).mean() / (2 * variance) > _SMOOTH)
