"""Bounds on the spectrum of a Laplacian, between which poles are fitted."""

import numpy as np

from ml.arrays import FloatArray, IntArray
from ml.errors import ToleranceNotReached
from ml.levy.solver.factors import WeightedLaplacian
from ml.levy.solver.poles import SMALLEST_LOW

_COUNTED = 8
"""Bounds tested in one factorisation."""


def upper_bound(pairs: IntArray, degrees: FloatArray) -> float:
    """Bound the largest eigenvalue; the bound stays valid when edges are removed.

    Equation: Anderson and Morley 1985, ``lambda_max <= max (d_u + d_v)`` over the edges.
    Shapes: pairs (M, 2), M > 0, degrees (N,).
    """
    return float(degrees[pairs].sum(axis=1).max())


def lower_bound(laplacian: WeightedLaplacian, island_count: int) -> float:
    """Bound the smallest positive eigenvalue of all islands from below.

    Deviation: no eigenvalue is computed. The largest power of two is sought below which there
        are only the zeros, one per island, counted by the inertia of ``L - sI``; so the bound
        holds for every island at once, however small.
    Cost: two or three factorisations.
    Shapes: a Laplacian scaled to a spectrum within [0, 1].
    Raises: ToleranceNotReached if an eigenvalue is too small to be distinguished from zero.
    """
    exponent = _first_clear(laplacian, island_count, 3 * np.arange(1, 1 + _COUNTED))
    return 2.0 ** -_first_clear(laplacian, island_count, np.arange(exponent - 2, exponent + 1))


def _first_clear(laplacian: WeightedLaplacian, island_count: int, exponents: IntArray) -> int:
    while 2.0 ** -int(exponents[0]) >= SMALLEST_LOW:
        counts = laplacian.count_below(2.0 ** -exponents.astype(np.float64))
        clear = np.flatnonzero(counts == island_count)
        if len(clear):
            return int(exponents[clear[0]])
        exponents = exponents + 3 * _COUNTED
    raise ToleranceNotReached("the smallest eigenvalue cannot be distinguished from zero")
