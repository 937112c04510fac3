"""Factors of all shifted Laplacians of one graph: solves and diagonals of the inverses."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from ml.arrays import FloatArray, IntArray
from ml.compute.threads import run_tasks
from ml.levy.limits import THREAD_PRODUCTS
from ml.levy.solver.dense_core import core_pivots, form_core
from ml.levy.solver.elimination import Elimination, FactorPattern
from ml.levy.solver.kernels import (
    factorise,
    invert_diagonal,
    multiply_laplacian,
    solve_systems,
    sum_solutions,
)

_LANES = 9
"""Shifts factored side by side: enough to fill the registers; two groups for two cores."""
_SOLVED_COLUMNS = 16
"""Columns solved for at once: enough to amortise the walk, few enough for the cache."""
_POLE_SHARES = 4
"""Parts that the poles are summed in; fixed, so that results do not depend on the threads."""
_TINY_PIVOT = 1e-9


@dataclass(frozen=True, eq=False)
class WeightedLaplacian:
    """The Laplacian of a graph, or of a graph without some of its edges, in elimination order.

    Shapes: weights (M,) in the order of ``elimination.pairs``, zero for absent edges.
    """

    elimination: Elimination
    weights: FloatArray
    degrees: FloatArray

    def factor(self, shifts: FloatArray, residues: FloatArray, bound: float) -> "ShiftedFactors":
        """Factor ``L + t_j I`` for all shifts, and sum the diagonals of the inverses.

        Equation: ``diag sum_j r_j (L + t_j I)^-1`` by selected inversion, exact.
        Deviation: one more system, ``L - bound I``, is factored with them; it counts the
            eigenvalues below the bound, as ``count_below`` would. A pattern with a dense
            core is factored by ``factor_around_core``.
        Cost: O(P products) time on all cores, O(P entries) memory.
        Shapes: (P,), (P,) -> factors of the P matrices.
        """
        pattern = self.elimination.pattern
        every_shift = np.append(shifts, -bound)
        lower = np.empty((len(every_shift), len(pattern.rows)))
        pivots = np.empty((len(every_shift), len(self.degrees)))

        def finish(first: int, last: int) -> FloatArray:
            lanes, lane_pivots = self.factor_lanes(every_shift[first:last])
            lower[first:last] = lanes.T
            pivots[first:last] = lane_pivots.T
            wanted = residues[first:last]
            return invert_diagonal(pattern, lanes, lane_pivots)[:, : len(wanted)] @ wanted

        groups = max(2, -(-len(every_shift) // _LANES))
        tasks: list[Callable[[], FloatArray]] = [
            partial(finish, first, last) for first, last in shares(len(every_shift), groups)
        ]
        work = 3 * self.elimination.products * len(every_shift)
        diagonal = np.sum(run_tasks(tasks, together=work > THREAD_PRODUCTS), axis=0)
        below = int(count_negative(pivots[-1:].T, np.array([bound]))[0])
        return ShiftedFactors(pattern, lower, pivots, residues, diagonal, below)

    def count_below(self, bounds: FloatArray) -> IntArray:
        """Count the eigenvalues below each bound.

        Equation: Sylvester's law of inertia, ``L - sI`` has as many negative pivots as ``L``
            has eigenvalues below ``s``.
        Deviation: where a pivot is too small to trust its sign, N + 1.
        Shapes: (B,) -> (B,).
        """
        lanes, pivots = self.factor_lanes(-bounds)
        for lane in range(len(bounds) if self.elimination.has_core else 0):
            core = self.form_core(lanes[:, lane], pivots[:, lane])
            pivots[self.elimination.fringe :, lane] = core_pivots(core)
        return count_negative(pivots, bounds)

    def form_core(self, lower: FloatArray, pivots: FloatArray) -> FloatArray:
        """Return the Schur complement of one shift. Shapes: (entries,), (N,) -> (m, m)."""
        return form_core(self.elimination, self.weights, lower, pivots)

    def multiply(self, signal: FloatArray) -> FloatArray:
        """Return ``L signal``. Shapes: (N, C) -> (N, C), both in elimination order."""
        return multiply_laplacian(self.elimination.pairs, self.weights, self.degrees, signal)

    def factor_lanes(self, shifts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Factor ``L + t_k I`` for K shifts. Shapes: (K,) -> (entries, K), (N, K)."""
        pattern = self.elimination.pattern
        lanes = np.zeros((len(pattern.rows), len(shifts)))
        lanes[self.elimination.entries] = -self.weights[self.elimination.outer, None]
        pivots = self.degrees[:, None] + shifts
        factorise(pattern, lanes, pivots)
        return lanes, pivots


@dataclass(frozen=True, eq=False)
class ShiftedFactors:
    """The factors of ``L + t_j I`` for all shifts of a sum of fractions.

    The last factor is that of ``L - bound I``, below which ``below`` eigenvalues lie.
    Shapes: lower (P + 1, entries), pivots (P + 1, N), residues (P,), diagonal (N,).
    """

    pattern: FactorPattern
    lower: FloatArray
    pivots: FloatArray
    residues: FloatArray
    diagonal: FloatArray
    below: int

    def solve(self, signal: FloatArray) -> FloatArray:
        """Return ``sum_j r_j (L + t_j I)^-1 signal``.

        Cost: O(P entries C) time on all cores.
        Shapes: (N, C) -> (N, C), both in elimination order.
        """
        columns = signal.shape[1]
        tasks: list[Callable[[], FloatArray]] = [
            partial(self._solve_part, signal[:, start : start + _SOLVED_COLUMNS], first, last)
            for start in range(0, columns, _SOLVED_COLUMNS)
            for first, last in shares(len(self.residues), _POLE_SHARES)
        ]
        work = 2 * len(self.pattern.rows) * columns * len(self.residues)
        sums = run_tasks(tasks, together=work > THREAD_PRODUCTS)
        blocks = [
            sum(sums[k + 1 : k + _POLE_SHARES], sums[k]) for k in range(0, len(sums), _POLE_SHARES)
        ]
        return blocks[0] if len(blocks) == 1 else np.hstack(blocks)

    def solve_each(self, signal: FloatArray) -> FloatArray:
        """Return the solution of each of the P + 1 systems. Shapes: (N, C) -> (P + 1, N, C)."""
        return solve_systems(self.pattern, self.lower, self.pivots, signal)

    def _solve_part(self, signal: FloatArray, first: int, last: int) -> FloatArray:
        factors = (self.lower[first:last], self.pivots[first:last], self.residues[first:last])
        return sum_solutions(self.pattern, *factors, np.ascontiguousarray(signal))


def count_negative(pivots: FloatArray, bounds: FloatArray) -> IntArray:
    """Count negative pivots, N + 1 where one cannot be trusted. Shapes: (N, B), (B,) -> (B,)."""
    doubtful = (np.abs(pivots) < _TINY_PIVOT * bounds).any(axis=0)
    return np.where(doubtful, len(pivots) + 1, (pivots < 0).sum(axis=0))


def shares(count: int, parts: int) -> list[tuple[int, int]]:
    """Cut ``range(count)`` into parts of nearly equal length; return their first and last."""
    ends = [count * part // parts for part in range(parts + 1)]
    return list(pairwise(ends))
