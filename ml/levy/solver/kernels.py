"""The inner loops of the sparse solver, over many shifts or many columns at once."""

import numpy as np

from ml.arrays import FloatArray, IntArray
from ml.compute.compiled import compiled
from ml.levy.solver.elimination import FactorPattern


@compiled
def factorise(pattern: FactorPattern, lower: FloatArray, pivots: FloatArray) -> None:
    """Factor K matrices of one pattern into ``C D C^T``, C with unit diagonal, in place.

    Equation: ``c_ij = a_ij / d_j``, then ``a_ki -= c_ij a_kj`` for all rows ``k >= i`` of the
        column, from the first column to the last.
    Deviation: the entry (k, i) is found by walking along column i, whose rows include those
        of column j beyond i. Of a core, which the pattern leaves out, only the diagonal is
        updated.
    Cost: O(K products of the pattern).
    Shapes: lower (entries, K), pivots (N, K): the matrices on entry, C and D on return.
    """
    count, lanes = len(pattern.starts) - 1, pivots.shape[1]
    inverse = np.empty(lanes)
    factor = np.empty(lanes)
    for node in range(count):
        last = pattern.starts[node + 1]
        for lane in range(lanes):
            inverse[lane] = 1 / pivots[node, lane]
        for entry in range(pattern.starts[node], last):
            row = pattern.rows[entry]
            for lane in range(lanes):
                factor[lane] = lower[entry, lane] * inverse[lane]
                pivots[row, lane] -= factor[lane] * lower[entry, lane]
            if row < count:
                target = pattern.starts[row]
                for other in range(entry + 1, last):
                    while pattern.rows[target] < pattern.rows[other]:
                        target += 1
                    for lane in range(lanes):
                        lower[target, lane] -= factor[lane] * lower[other, lane]
            for lane in range(lanes):
                lower[entry, lane] = factor[lane]


@compiled
def invert_diagonal(pattern: FactorPattern, lower: FloatArray, pivots: FloatArray) -> FloatArray:
    """Return the diagonals of the K inverses by selected inversion.

    Equation: Takahashi, Fagan, Chen 1973: ``z_ij = -sum_(k>j) c_kj z_ki`` on the pattern of C,
        ``z_jj = 1 / d_j - sum_(k>j) c_kj z_kj``, from the last column to the first.
    Cost: O(K products of the pattern), about twice ``factorise``.
    Shapes: lower (entries, K), pivots (N, K) -> (N, K).
    """
    count, lanes = pivots.shape
    inverse = np.zeros(lower.shape)
    diagonal = np.empty(pivots.shape)
    for node in range(count - 1, -1, -1):
        first, last = pattern.starts[node], pattern.starts[node + 1]
        for entry in range(first, last):
            row = pattern.rows[entry]
            for lane in range(lanes):
                inverse[entry, lane] -= lower[entry, lane] * diagonal[row, lane]
            stored = pattern.starts[row]
            for other in range(entry + 1, last):
                while pattern.rows[stored] < pattern.rows[other]:
                    stored += 1
                for lane in range(lanes):
                    inverse[entry, lane] -= lower[other, lane] * inverse[stored, lane]
                    inverse[other, lane] -= lower[entry, lane] * inverse[stored, lane]
        for lane in range(lanes):
            diagonal[node, lane] = 1 / pivots[node, lane]
        for entry in range(first, last):
            for lane in range(lanes):
                diagonal[node, lane] -= lower[entry, lane] * inverse[entry, lane]
    return diagonal


@compiled
def sum_solutions(
    pattern: FactorPattern,
    lower: FloatArray,
    pivots: FloatArray,
    weights: FloatArray,
    signal: FloatArray,
) -> FloatArray:
    """Return ``sum_k weights_k (C_k D_k C_k^T)^-1 signal``.

    Cost: O(K entries C) time, two passes over a factor and the signal each.
    Shapes: lower (K, entries), pivots (K, N), weights (K,), signal (N, C) -> (N, C).
    """
    count, columns = signal.shape
    total = np.zeros((count, columns))
    block = np.empty((count, columns))
    for system in range(len(weights)):
        _solve(pattern, lower[system], pivots[system], signal, block)
        for node in range(count):
            for column in range(columns):
                total[node, column] += weights[system] * block[node, column]
    return total


@compiled
def solve_systems(
    pattern: FactorPattern, lower: FloatArray, pivots: FloatArray, signal: FloatArray
) -> FloatArray:
    """Return ``(C_k D_k C_k^T)^-1 signal`` for every system.

    Shapes: lower (K, entries), pivots (K, N), signal (N, C) -> (K, N, C).
    """
    count, columns = signal.shape
    solutions = np.empty((len(lower), count, columns))
    for system in range(len(lower)):
        _solve(pattern, lower[system], pivots[system], signal, solutions[system])
    return solutions


@compiled
def _solve(
    pattern: FactorPattern,
    lower: FloatArray,
    pivots: FloatArray,
    signal: FloatArray,
    block: FloatArray,
) -> None:
    """Write the solution of one system into ``block``: forward, diagonal, backward."""
    count, columns = signal.shape
    for node in range(count):
        for column in range(columns):
            block[node, column] = signal[node, column]
    go_forward(pattern, lower, block)
    go_back(pattern, lower, pivots, block)


@compiled
def go_forward(pattern: FactorPattern, lower: FloatArray, block: FloatArray) -> None:
    """Replace a block by ``C^-1 block``. Shapes: lower (entries,), block (N, C)."""
    columns = block.shape[1]
    for node in range(len(pattern.starts) - 1):
        for entry in range(pattern.starts[node], pattern.starts[node + 1]):
            row = pattern.rows[entry]
            for column in range(columns):
                block[row, column] -= lower[entry] * block[node, column]


@compiled
def go_back(
    pattern: FactorPattern, lower: FloatArray, pivots: FloatArray, block: FloatArray
) -> None:
    """Replace a block by ``C^-T D^-1 block``; a core is left as it is.

    Shapes: lower (entries,), pivots (F,), block (N, C).
    """
    columns = block.shape[1]
    for node in range(len(pattern.starts) - 2, -1, -1):
        inverse = 1 / pivots[node]
        for column in range(columns):
            block[node, column] *= inverse
        for entry in range(pattern.starts[node], pattern.starts[node + 1]):
            row = pattern.rows[entry]
            for column in range(columns):
                block[node, column] -= lower[entry] * block[row, column]


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


@compiled
def multiply_laplacian(
    pairs: IntArray, weights: FloatArray, degrees: FloatArray, signal: FloatArray
) -> FloatArray:
    """Return ``(D - W) signal``. Shapes: pairs (M, 2), weights (M,), (N,), (N, C) -> (N, C)."""
    product = np.empty(signal.shape)
    count, columns = signal.shape
    for node in range(count):
        for column in range(columns):
            product[node, column] = degrees[node] * signal[node, column]
    for position in range(len(pairs)):
        one, other = pairs[position]
        for column in range(columns):
            product[one, column] -= weights[position] * signal[other, column]
            product[other, column] -= weights[position] * signal[one, column]
    return product


@compiled
def label_islands(pairs: IntArray, weights: FloatArray, count: int) -> IntArray:
    """Number the islands as ``ml.graph.graph.islands_of`` does, without building a matrix.

    Edges of weight zero count as absent.
    Shapes: pairs (M, 2), weights (M,) -> (N,); numbers without gaps, by their first node.
    """
    leader = np.arange(count)
    for position in range(len(pairs)):
        if weights[position] > 0:
            one, other = pairs[position]
            while leader[one] != one:
                leader[one] = leader[leader[one]]
                one = leader[one]
            while leader[other] != other:
                leader[other] = leader[leader[other]]
                other = leader[other]
            # The smaller number leads, so that leaders come before those they lead.
            leader[max(one, other)] = min(one, other)
    islands = np.empty(count, dtype=np.int64)
    count_so_far = 0
    for node in range(count):
        if leader[node] == node:
            islands[node] = count_so_far
            count_so_far += 1
        else:
            islands[node] = islands[leader[node]]
    return islands
