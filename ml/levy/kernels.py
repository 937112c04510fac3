"""The inner loops of the sparse solver, over eight shifts or many columns at once."""

import numpy as np

from ml.arrays import FloatArray, IntArray
from ml.levy.compiled import compiled
from ml.levy.elimination import FactorPattern

LANES = 8
"""Shifts that are factored together: two AVX2 registers, one AVX-512 register."""


@compiled
def factorise(pattern: FactorPattern, lower: FloatArray, pivots: FloatArray) -> None:
    """Factor eight matrices of one pattern into ``C D C^T``, C with unit diagonal, in place.

    Equation: ``d_i = a_ii - sum_j c_ij^2 d_j``, ``c_ki = (a_ki - sum_j c_kj c_ij d_j) / d_i``,
        column by column from the left.
    Cost: O(products of the pattern).
    Shapes: lower (entries, 8), pivots (N, 8): the matrices on entry, C and D on return.
    """
    count = len(pivots)
    entry_of = np.empty(count, dtype=np.int64)
    scaled = np.empty(LANES)
    for node in range(count):
        first, last = pattern.starts[node], pattern.starts[node + 1]
        for entry in range(first, last):
            entry_of[pattern.rows[entry]] = entry
        for link in range(pattern.link_starts[node], pattern.link_starts[node + 1]):
            column, source = pattern.links[link], pattern.link_entries[link]
            for lane in range(LANES):
                scaled[lane] = lower[source, lane] * pivots[column, lane]
                pivots[node, lane] -= scaled[lane] * lower[source, lane]
            for entry in range(source + 1, pattern.starts[column + 1]):
                _subtract_product(lower, entry_of[pattern.rows[entry]], entry, scaled)
        for lane in range(LANES):
            scaled[lane] = 1 / pivots[node, lane]
        for entry in range(first, last):
            for lane in range(LANES):
                lower[entry, lane] *= scaled[lane]


@compiled
def _subtract_product(values: FloatArray, target: int, source: int, factors: FloatArray) -> None:
    for lane in range(LANES):
        values[target, lane] -= values[source, lane] * factors[lane]


@compiled
def invert_diagonal(
    pattern: FactorPattern, lower: FloatArray, pivots: FloatArray, inverse: FloatArray
) -> FloatArray:
    """Return the diagonals of eight inverses by selected inversion.

    Equation: Takahashi, Fagan, Chen 1973: ``z_ij = -sum_(k>j) c_kj z_ki`` on the pattern of C,
        ``z_jj = 1 / d_j - sum_(k>j) c_kj z_kj``, from the last column to the first.
    Deviation: a finished column adds its part to all columns that need it, so that entries
        are found by position instead of by search.
    Cost: O(products of the pattern), about twice ``factorise``.
    Shapes: lower (entries, 8), pivots (N, 8) -> (N, 8); ``inverse`` (entries, 8) is zero on
        entry and holds the inverses on the pattern on return.
    """
    count = len(pivots)
    entry_of = np.empty(count, dtype=np.int64)
    diagonal = np.empty_like(pivots)
    for node in range(count - 1, -1, -1):
        for lane in range(LANES):
            diagonal[node, lane] = 1 / pivots[node, lane]
        for entry in range(pattern.starts[node], pattern.starts[node + 1]):
            entry_of[pattern.rows[entry]] = entry
            for lane in range(LANES):
                diagonal[node, lane] -= lower[entry, lane] * inverse[entry, lane]
        for link in range(pattern.link_starts[node], pattern.link_starts[node + 1]):
            column, own = pattern.links[link], pattern.link_entries[link]
            for lane in range(LANES):
                inverse[own, lane] -= lower[own, lane] * diagonal[node, lane]
            for entry in range(own + 1, pattern.starts[column + 1]):
                known = entry_of[pattern.rows[entry]]
                _spread(lower, inverse, (own, entry, known))
    return diagonal


@compiled
def _spread(lower: FloatArray, inverse: FloatArray, entries: tuple[int, int, int]) -> None:
    own, other, known = entries
    for lane in range(LANES):
        inverse[own, lane] -= lower[other, lane] * inverse[known, lane]
        inverse[other, lane] -= lower[own, lane] * inverse[known, lane]


@compiled
def add_solution(
    pattern: FactorPattern,
    lower: FloatArray,
    pivots: FloatArray,
    block: FloatArray,
    weight: float,
    total: FloatArray,
) -> None:
    """Add ``weight * (C D C^T)^-1 block`` to the total; the block is used up.

    Cost: O(entries C) time, two passes over factor and block.
    Shapes: lower (entries,), pivots (N,), block and total (N, C).
    """
    count, columns = block.shape
    for node in range(count):
        for entry in range(pattern.starts[node], pattern.starts[node + 1]):
            row = pattern.rows[entry]
            for column in range(columns):
                block[row, column] -= lower[entry] * block[node, column]
    for node in range(count - 1, -1, -1):
        for column in range(columns):
            block[node, column] /= pivots[node]
        for entry in range(pattern.starts[node], pattern.starts[node + 1]):
            row = pattern.rows[entry]
            for column in range(columns):
                block[node, column] -= lower[entry] * block[row, column]
        for column in range(columns):
            total[node, column] += weight * block[node, column]


@compiled
def enter(
    signal: FloatArray, order: IntArray, scale: FloatArray, islands: IntArray, sizes: IntArray
) -> FloatArray:
    """Scale a signal, put it into elimination order and remove the mean of each island.

    Shapes: signal (N, C), order, scale, islands (N,) by node, sizes (I,) -> (N, C).
    """
    count, columns = signal.shape
    means = np.zeros((len(sizes), columns))
    for node in range(count):
        for column in range(columns):
            means[islands[node], column] += scale[node] * signal[node, column]
    for island in range(len(sizes)):
        for column in range(columns):
            means[island, column] /= sizes[island]
    block = np.empty((count, columns))
    for place in range(count):
        node = order[place]
        for column in range(columns):
            mean = means[islands[node], column]
            block[place, column] = scale[node] * signal[node, column] - mean
    return block


@compiled
def leave(
    block: FloatArray, order: IntArray, scale: FloatArray, islands: IntArray, sizes: IntArray
) -> FloatArray:
    """Undo ``enter``: remove the means that round-off left, return to node order, scale.

    Shapes: block (N, C) in elimination order, the others as ``enter`` -> (N, C).
    """
    count, columns = block.shape
    means = np.zeros((len(sizes), columns))
    for place in range(count):
        for column in range(columns):
            means[islands[order[place]], column] += block[place, column]
    for island in range(len(sizes)):
        for column in range(columns):
            means[island, column] /= sizes[island]
    signal = np.empty((count, columns))
    for place in range(count):
        node = order[place]
        for column in range(columns):
            centred = block[place, column] - means[islands[node], column]
            signal[node, column] = scale[node] * centred
    return signal
