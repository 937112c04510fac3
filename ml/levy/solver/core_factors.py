"""Factors of a graph with a dense core: solves, and corrections for removed edges."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.sparse as sp

from ml.arrays import FloatArray, IntArray
from ml.compute.threads import run_tasks
from ml.levy.solver.dense_core import (
    ancestors_of,
    core_pivots,
    go_forward_among,
    invert_core,
    invert_diagonal_around,
    mirror,
    sum_squares,
)
from ml.levy.solver.elimination import FactorPattern
from ml.levy.solver.factors import WeightedLaplacian, count_negative, shares
from ml.levy.solver.kernels import go_back, go_forward

_CORE_COLUMNS = 64
"""Columns solved for at once: LAPACK's products with the core need many."""
_CORE_SHARES = 2
"""Parts that the poles are summed in; fixed, so that results do not depend on the threads."""
_DOUBTFUL = 1e-9


@dataclass(frozen=True, eq=False)
class CoreFactors:
    """The factors of ``L + t_j I``: sparse ones of the fringe, inverses of the core.

    Equation: ``(L + tI)^-1 = C^-T diag(1/d, S^-1) C^-1``, S the Schur complement of the fringe.
    The last system is ``L - bound I``, below which ``below`` eigenvalues lie.
    Shapes: lower (P + 1, entries), pivots (P + 1, F), cores (P + 1, m, m), residues (P,),
        diagonal (N,).
    """

    pattern: FactorPattern
    lower: FloatArray
    pivots: FloatArray
    cores: FloatArray
    residues: FloatArray
    diagonal: FloatArray
    below: int

    def solve(self, signal: FloatArray) -> FloatArray:
        """Return ``sum_j r_j (L + t_j I)^-1 signal``.

        Cost: O(P (entries + m^2) C) time.
        Shapes: (N, C) -> (N, C), both in elimination order.
        """
        return sum_systems(self.solve_one, self.residues, signal)

    def solve_one(self, system: int, signal: FloatArray) -> FloatArray:
        """Return the solution of one system. Shapes: (N, C) -> (N, C)."""
        block = signal.copy()
        fringe = self.pivots.shape[1]
        go_forward(self.pattern, self.lower[system], block)
        block[fringe:] = self.cores[system] @ block[fringe:]
        go_back(self.pattern, self.lower[system], self.pivots[system], block)
        return block

    def censor(self, pairs: IntArray, weights: FloatArray) -> "CensoredFactors":
        """Return the factors of the graph without some edges.

        Equation: Woodbury in the middle of ``C^-T diag(1/d, S^-1) C^-1``: with the edges B,
            ``E = diag(1/d, S^-1) C^-1 B`` and ``M = w^-1 - B^T Z B = K K^T`` that becomes
            ``diag(1/d, S^-1) + Y Y^T``, ``Y = E K^-T``; the degrees change by the diagonal of
            ``C^-T Y Y^T C^-1``. By Haynsworth's inertia formula the M of the last system has
            as many negative eigenvalues as censoring moves below the bound.
        Cost: O(P k (entries + m k)); E is zero except in the core and at ancestors of the edges.
        Shapes: pairs (k, 2) in elimination order, weights (k,).
        """
        nodes = ancestors_of(self.pattern, pairs.ravel())
        tasks: list[Callable[[], tuple[FloatArray, FloatArray]]] = [
            partial(self._change, system, nodes, pairs, weights)
            for system in range(len(self.residues))
        ]
        changes, squares = zip(*run_tasks(tasks, together=True), strict=True)
        _, inner = self._project(len(self.residues), nodes, pairs, weights)
        values = np.linalg.eigvalsh(inner)
        doubtful = np.abs(values).min() < _DOUBTFUL * np.abs(values).max()
        below = self.below + int((values < 0).sum())
        return CensoredFactors(
            whole=self,
            nodes=nodes,
            changes=np.stack(changes),
            diagonal=self.diagonal + self.residues @ np.stack(squares),
            below=len(self.diagonal) + 1 if doubtful else below,
        )

    def _change(
        self, system: int, nodes: IntArray, pairs: IntArray, weights: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return Y of one system, (q + m, k), and the change of its diagonal, (N,)."""
        projected, inner = self._project(system, nodes, pairs, weights)
        change = projected @ np.linalg.inv(np.linalg.cholesky(inner)).T
        return change, sum_squares(self.pattern, self.lower[system], nodes, change)

    def _project(
        self, system: int, nodes: IntArray, pairs: IntArray, weights: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return E, (q + m, k), and M, (k, k), of one system."""
        fringe, core = self.pivots.shape[1], self.cores[system]
        places = np.empty(fringe + len(core), dtype=np.int64)
        places[nodes] = np.arange(len(nodes))
        places[fringe:] = len(nodes) + np.arange(len(core))
        columns = np.arange(len(pairs))
        risen = np.zeros((len(nodes) + len(core), len(pairs)))
        risen[places[pairs[:, 0]], columns] = 1
        risen[places[pairs[:, 1]], columns] = -1
        go_forward_among(self.pattern, self.lower[system], nodes, places, risen)
        outside, inside = np.split(risen, [len(nodes)])
        in_core = (sp.csr_array(inside.T) @ core).T
        projected = np.vstack([outside / self.pivots[system, nodes, None], in_core])
        return projected, np.diag(1 / weights) - risen.T @ projected


@dataclass(frozen=True, eq=False)
class CensoredFactors:
    """The factors of a censored graph: those of the whole graph with a changed middle part.

    Shapes: nodes (q,) of the fringe, changes (P, q + m, k), diagonal (N,).
    """

    whole: CoreFactors
    nodes: IntArray
    changes: FloatArray
    diagonal: FloatArray
    below: int

    def solve(self, signal: FloatArray) -> FloatArray:
        """Return ``sum_j r_j (L_c + t_j I)^-1 signal``.

        Cost: O(P (entries + m^2 + m k) C) time.
        Shapes: (N, C) -> (N, C), both in elimination order.
        """
        return sum_systems(self.solve_one, self.whole.residues, signal)

    def solve_one(self, system: int, signal: FloatArray) -> FloatArray:
        """Return the solution of one system. Shapes: (N, C) -> (N, C)."""
        whole, change = self.whole, self.changes[system]
        lower, pivots = whole.lower[system], whole.pivots[system]
        block = signal.copy()
        go_forward(whole.pattern, lower, block)
        projected = np.vstack([block[self.nodes], block[len(pivots) :]])
        changed = change @ (change.T @ projected)
        block[self.nodes] += pivots[self.nodes, None] * changed[: len(self.nodes)]
        block[len(pivots) :] = whole.cores[system] @ block[len(pivots) :]
        block[len(pivots) :] += changed[len(self.nodes) :]
        go_back(whole.pattern, lower, pivots, block)
        return block


def factor_around_core(
    laplacian: WeightedLaplacian, shifts: FloatArray, residues: FloatArray, bound: float
) -> CoreFactors:
    """Factor ``L + t_j I`` for all shifts and ``L - bound I``, as ``WeightedLaplacian.factor``.

    Equation: ``diag sum_j r_j (L + t_j I)^-1`` by selected inversion, exact.
    Cost: O(P (products + m^3)) time, O(P (entries + m^2)) memory.
    Shapes: (P,), (P,) -> factors of the P + 1 matrices.
    """
    elimination = laplacian.elimination
    fringe, size = elimination.fringe, elimination.node_count - elimination.fringe
    lanes, pivots = laplacian.factor_lanes(np.append(shifts, -bound))
    lower, outer_pivots = np.ascontiguousarray(lanes.T), np.ascontiguousarray(pivots[:fringe].T)
    cores = np.empty((len(shifts) + 1, size, size))
    diagonal = np.zeros(elimination.node_count)
    for lane, residue in enumerate(residues):
        cores[lane] = invert_core(laplacian.form_core(lower[lane], pivots[:, lane]))
        factors = (lower[lane], outer_pivots[lane], cores[lane])
        diagonal += residue * invert_diagonal_around(elimination.pattern, *factors)
    last = laplacian.form_core(lower[-1], pivots[:, -1])
    cores[-1] = np.linalg.inv(mirror(last))
    pivots[fringe:, -1] = core_pivots(last)
    below = int(count_negative(pivots[:, -1:], np.array([bound]))[0])
    return CoreFactors(elimination.pattern, lower, outer_pivots, cores, residues, diagonal, below)


def sum_systems(
    solve_one: Callable[[int, FloatArray], FloatArray], residues: FloatArray, signal: FloatArray
) -> FloatArray:
    """Sum the solutions of all systems, some columns at a time. Shapes: (N, C) -> (N, C)."""

    def solve_part(block: FloatArray, first: int, last: int) -> FloatArray:
        total = np.zeros_like(block)
        for system in range(first, last):
            total += residues[system] * solve_one(system, block)
        return total

    starts = range(0, signal.shape[1], _CORE_COLUMNS)
    tasks: list[Callable[[], FloatArray]] = [
        partial(solve_part, np.ascontiguousarray(signal[:, start : start + _CORE_COLUMNS]), *share)
        for start in starts
        for share in shares(len(residues), _CORE_SHARES)
    ]
    sums = run_tasks(tasks, together=True)
    blocks = [
        sum(sums[k + 1 : k + _CORE_SHARES], sums[k]) for k in range(0, len(sums), _CORE_SHARES)
    ]
    return np.hstack(blocks)
