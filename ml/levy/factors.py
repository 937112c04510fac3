"""Shifted Laplacians of one graph, factored together: solves and diagonals of the inverses."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from ml.arrays import FloatArray, IntArray
from ml.levy.elimination import Elimination, FactorPattern
from ml.levy.kernels import LANES, add_solution, factorise, invert_diagonal
from ml.levy.workers import run_tasks

_COLUMNS = 16
"""Columns solved for at once: enough to amortise the walk, few enough for the cache."""
_PARTS = 4
"""Shares the poles are summed in; fixed, so that results do not depend on the threads."""
_WORTH_A_THREAD = 200_000
"""Multiplications below which a task is done before another thread has woken up."""
_TINY_PIVOT = 1e-9


@dataclass(frozen=True, eq=False)
class WeightedLaplacian:
    """The Laplacian of a graph, or of a graph without some of its edges, in elimination order.

    Shapes: weights (M,) in the order of ``elimination.pairs``, zero for absent edges.
    """

    elimination: Elimination
    weights: FloatArray
    degrees: FloatArray

    def factor(self, shifts: FloatArray, residues: FloatArray) -> "ShiftedFactors":
        """Factor ``L + t_j I`` for all shifts, and sum the diagonals of the inverses.

        Equation: ``diag sum_j r_j (L + t_j I)^-1`` by selected inversion, exact.
        Cost: O(P products) time on all cores, O(P entries) memory.
        Shapes: (P,), (P,) -> factors of the P matrices.
        """
        pattern = self.elimination.pattern
        lower = np.empty((len(shifts), len(pattern.rows)))
        pivots = np.empty((len(shifts), len(self.degrees)))

        def finish(first: int) -> FloatArray:
            lanes, lane_pivots = self._factor_lanes(shifts[first : first + LANES])
            diagonals = invert_diagonal(pattern, lanes, lane_pivots, np.zeros_like(lanes))
            used = len(shifts[first : first + LANES])
            lower[first : first + used] = lanes.T[:used]
            pivots[first : first + used] = lane_pivots.T[:used]
            return diagonals[:, :used] @ residues[first : first + used]

        firsts = range(0, len(shifts), LANES)
        tasks: list[Callable[[], FloatArray]] = [partial(finish, first) for first in firsts]
        parts = run_tasks(tasks, together=len(pattern.rows) * LANES > _WORTH_A_THREAD)
        return ShiftedFactors(pattern, lower, pivots, residues, np.sum(parts, axis=0))

    def count_below(self, bounds: FloatArray) -> IntArray:
        """Count the eigenvalues below each of at most eight bounds.

        Equation: Sylvester's law of inertia, ``L - sI`` has as many negative pivots as ``L``
            has eigenvalues below ``s``.
        Deviation: where a pivot is too small to trust its sign, N + 1.
        Shapes: (B,) -> (B,).
        """
        _, pivots = self._factor_lanes(-bounds)
        used = pivots[:, : len(bounds)]
        counts = (used < 0).sum(axis=0)
        doubtful = (np.abs(used) < _TINY_PIVOT * bounds).any(axis=0)
        return np.where(doubtful, len(self.degrees) + 1, counts)

    def _factor_lanes(self, shifts: FloatArray) -> tuple[FloatArray, FloatArray]:
        pattern = self.elimination.pattern
        lanes = np.zeros((len(pattern.rows), LANES))
        lanes[self.elimination.pair_entries] = -self.weights[:, None]
        spare = np.ones(LANES - len(shifts))
        pivots = self.degrees[:, None] + np.concatenate([shifts, spare])
        factorise(pattern, lanes, pivots)
        return lanes, pivots


@dataclass(frozen=True, eq=False)
class ShiftedFactors:
    """The factors of ``L + t_j I`` for all shifts of a sum of fractions.

    Shapes: lower (P, entries), pivots (P, N), residues (P,), diagonal (N,).
    """

    pattern: FactorPattern
    lower: FloatArray
    pivots: FloatArray
    residues: FloatArray
    diagonal: FloatArray

    def solve(self, signal: FloatArray) -> FloatArray:
        """Return ``sum_j r_j (L + t_j I)^-1 signal``.

        Cost: O(P entries C) time on all cores.
        Shapes: (N, C) -> (N, C), both in elimination order.
        """
        columns = signal.shape[1]
        starts = range(0, columns, _COLUMNS)
        tasks: list[Callable[[], FloatArray]] = [
            partial(self._solve_part, signal[:, start : start + _COLUMNS], part)
            for start in starts
            for part in range(_PARTS)
        ]
        work = len(self.pattern.rows) * columns * len(self.residues)
        sums = run_tasks(tasks, together=work > _WORTH_A_THREAD)
        blocks = [sum(sums[k + 1 : k + _PARTS], sums[k]) for k in range(0, len(sums), _PARTS)]
        return blocks[0] if len(blocks) == 1 else np.hstack(blocks)

    def _solve_part(self, signal: FloatArray, part: int) -> FloatArray:
        total = np.zeros(signal.shape)
        for pole in range(part, len(self.residues), _PARTS):
            block = np.array(signal, order="C")
            weight = self.residues[pole]
            add_solution(self.pattern, self.lower[pole], self.pivots[pole], block, weight, total)
        return total
