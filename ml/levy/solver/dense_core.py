"""The dense core of a graph: the part that remains when its tree-like parts are eliminated."""

import numpy as np
from scipy.linalg import lapack

from ml.arrays import FloatArray, IntArray
from ml.compute.compiled import compiled
from ml.levy.solver.elimination import Elimination, FactorPattern


def form_core(
    elimination: Elimination, weights: FloatArray, lower: FloatArray, pivots: FloatArray
) -> FloatArray:
    """Return the Schur complement of the eliminated nodes.

    Equation: ``A_RR - sum_j c_Rj d_j c_Rj^T`` over the columns j of the fringe.
    Shapes: weights (M,), lower (entries,), pivots (N,) of one shift after elimination
        -> (m, m), only the lower triangle filled.
    """
    fringe, size = elimination.fringe, elimination.node_count - elimination.fringe
    core = np.zeros((size, size))
    inner = np.ones(len(elimination.pairs), dtype=np.bool_)
    inner[elimination.outer] = False
    later, earlier = elimination.pairs[inner].T - fringe
    core[later, earlier] = -weights[inner]
    np.fill_diagonal(core, pivots[fringe:])
    _subtract_products(elimination.pattern, lower, pivots, core)
    return core


def invert_core(core: FloatArray) -> FloatArray:
    """Return the inverse of a core, positive definite. Shapes: (m, m) lower -> (m, m)."""
    # A lower triangle by rows is an upper one by columns, as LAPACK wants it.
    factor, _ = lapack.dpotrf(core.T, lower=0)
    inverse, _ = lapack.dpotri(factor, lower=0, overwrite_c=1)
    return mirror(inverse.T)


def mirror(lower: FloatArray) -> FloatArray:
    """Return the symmetric matrix that a lower triangle belongs to. Shapes: (m, m) -> (m, m)."""
    return np.asarray(np.tril(lower) + np.tril(lower, -1).T)


def core_pivots(core: FloatArray) -> FloatArray:
    """Return pivots with the signs of the eigenvalues of a core.

    Equation: Sylvester's law, with the pivots of Bunch and Kaufman; one of size two counts
        as an eigenvalue of either sign.
    Shapes: (m, m), lower triangle -> (m,).
    """
    factor, order, _ = lapack.dsytrf(core.T, lower=0, lwork=64 * len(core))
    either_sign = np.where(np.cumsum(order < 0) % 2, np.inf, -np.inf)
    return np.where(order > 0, np.diagonal(factor), either_sign)


def ancestors_of(pattern: FactorPattern, nodes: IntArray) -> IntArray:
    """Return nodes of the fringe and their ancestors in the elimination tree, ascending.

    Shapes: (k,) -> (q,), without the core.
    """
    fringe = len(pattern.starts) - 1
    ancestors: set[int] = set()
    for node in nodes.tolist():
        step = node
        while step < fringe and step not in ancestors:
            ancestors.add(step)
            first = pattern.starts[step]
            step = int(pattern.rows[first]) if first < pattern.starts[step + 1] else fringe
    return np.array(sorted(ancestors), dtype=np.int64)


@compiled
def invert_diagonal_around(
    pattern: FactorPattern, lower: FloatArray, pivots: FloatArray, core: FloatArray
) -> FloatArray:
    """Return the diagonal of an inverse, given the inverse in the core.

    Equation: as ``kernels.invert_diagonal``, for one shift.
    Shapes: lower (entries,), pivots (F,), core (m, m) -> (N,).
    """
    fringe = len(pattern.starts) - 1
    inverse = np.zeros(len(lower))
    diagonal = np.concatenate((1 / pivots, np.diag(core)))
    for node in range(fringe - 1, -1, -1):
        first, last = pattern.starts[node], pattern.starts[node + 1]
        for entry in range(first, last):
            row = pattern.rows[entry]
            inverse[entry] -= lower[entry] * diagonal[row]
            stored = pattern.starts[min(row, fringe)]
            for other in range(entry + 1, last):
                if row < fringe:
                    while pattern.rows[stored] < pattern.rows[other]:
                        stored += 1
                    between = inverse[stored]
                else:
                    between = core[pattern.rows[other] - fringe, row - fringe]
                inverse[entry] -= lower[other] * between
                inverse[other] -= lower[entry] * between
        for entry in range(first, last):
            diagonal[node] -= lower[entry] * inverse[entry]
    return diagonal


@compiled
def go_forward_among(
    pattern: FactorPattern, lower: FloatArray, nodes: IntArray, places: IntArray, block: FloatArray
) -> None:
    """Replace a block, given at some nodes and zero elsewhere, by ``C^-1 block``.

    Shapes: lower (entries,), nodes (q,) closed under elimination, places (N,) of nodes and core
        in the block (q + m, k).
    """
    columns = block.shape[1]
    for node in nodes:
        for entry in range(pattern.starts[node], pattern.starts[node + 1]):
            row = places[pattern.rows[entry]]
            for column in range(columns):
                block[row, column] -= lower[entry] * block[places[node], column]


@compiled
def sum_squares(
    pattern: FactorPattern, lower: FloatArray, nodes: IntArray, changed: FloatArray
) -> FloatArray:
    """Return the diagonal of ``C^-T Y Y^T C^-1``; Y is zero except at core and given nodes.

    Shapes: lower (entries,), nodes (q,) of the fringe, changed (q + m, k) -> (N,).
    """
    fringe, columns = len(pattern.starts) - 1, changed.shape[1]
    count = fringe + len(changed) - len(nodes)
    block = np.zeros((count, columns))
    block[fringe:] = changed[len(nodes) :]
    for position in range(len(nodes)):
        block[nodes[position]] = changed[position]
    squares = np.empty(count)
    for node in range(count - 1, -1, -1):
        if node < fringe:
            for entry in range(pattern.starts[node], pattern.starts[node + 1]):
                row = pattern.rows[entry]
                for column in range(columns):
                    block[node, column] -= lower[entry] * block[row, column]
        total = 0.0
        for column in range(columns):
            total += block[node, column] ** 2
        squares[node] = total
    return squares


@compiled
def _subtract_products(
    pattern: FactorPattern, lower: FloatArray, pivots: FloatArray, core: FloatArray
) -> None:
    """Subtract the fill-in of the fringe's elimination off the diagonal of the core."""
    fringe = len(pattern.starts) - 1
    for node in range(fringe):
        last = pattern.starts[node + 1]
        for entry in range(pattern.starts[node], last):
            row = pattern.rows[entry] - fringe
            if row >= 0:
                factor = lower[entry] * pivots[node]
                for other in range(entry + 1, last):
                    core[pattern.rows[other] - fringe, row] -= factor * lower[other]
