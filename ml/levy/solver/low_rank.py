"""Powers of censored graphs as low-rank corrections, without a new factorisation."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from threading import Lock

import numpy as np
from cachetools import LRUCache

from ml.arrays import FloatArray, IntArray
from ml.compute.threads import run_tasks
from ml.levy.limits import KEPT_SOLUTION_BYTES, NARROW_SOLVE_NODES
from ml.levy.solver.factors import ShiftedFactors
from ml.levy.solver.powers import FactoredPower, GraphPowers

_NARROW_BLOCK, _WIDE_BLOCK = 4, 16
"""Edges solved for at once on small and on large graphs."""
_DOUBTFUL = 1e-9


@dataclass(frozen=True, eq=False)
class PowerCorrection:
    """``L_c^g = L^g + rows^T diag(signs) rows`` and the degrees of the censored graph.

    Shapes: rows (R, N), signs (R,), degrees (N,).
    """

    rows: FloatArray
    signs: FloatArray
    degrees: FloatArray


class LowRankPowers:
    """The power of one graph and, relative to it, those of its censored copies.

    Equation: Woodbury, for every pole: with the censored edges ``B`` (N, k) of weights ``w``,
        ``(L - B w B^T + tI)^-1 = Z + Z B (w^-1 - B^T Z B)^-1 B^T Z``, ``Z = (L + tI)^-1``;
        summed over the poles that is a correction of rank k P. An island that splits
        adds the difference of the means, ``-r(0) (P0_c - P0)``.
    Cost: k solves per pole, cached, and O(N k^2 P) products.
    Raises: TypeError for a graph with a dense core, which ``GraphPowers`` corrects itself.
    """

    def __init__(self, powers: GraphPowers) -> None:
        self._powers = powers
        self.whole: FactoredPower = powers.reaching_down
        if not isinstance(self.whole.factors, ShiftedFactors):
            raise TypeError("a graph with a dense core is corrected within that core")
        self._factors = self.whole.factors
        self._scale = self.whole.scale**self.whole.gamma
        self._place = np.empty_like(self.whole.order)
        self._place[self.whole.order] = np.arange(len(self._place))
        self._capacity = KEPT_SOLUTION_BYTES // (8 * len(self._place) * len(self._factors.pivots))
        self._solved: LRUCache[int, FloatArray] = LRUCache(max(1, self._capacity))
        self._lock = Lock()

    def correct(self, pairs: IntArray) -> PowerCorrection | None:
        """Return the correction for the graph without ``pairs``, (k, 2).

        Deviation: None if the poles do not reach down to the spectrum of the censored graph.
            By Haynsworth's inertia formula ``w^-1 - B^T (L - sI)^-1 B`` has as many negative
            eigenvalues as censoring moves below ``s``.
        """
        positions = self._powers.find_pairs(pairs)
        weights = self._powers.weights.copy()
        weights[positions] = 0
        islands = self._powers.label_islands(weights)
        solved = self._solve(positions)
        inner = self._inner(solved, positions)
        if not self._reaches(inner[-1], int(islands.max()) + 1):
            return None
        inverse = np.linalg.inv(np.linalg.cholesky(inner[:-1])).astype(np.float64)
        rows = (inverse @ solved[:-1]).reshape(-1, len(islands))
        signs = np.repeat(self.whole.fractions.residues, len(positions))
        return self._finish(rows, signs, islands, positions)

    def expect(self, pairs: IntArray) -> None:
        """Solve for pairs that may be censored, if the cache holds them all. Shapes: (m, 2)."""
        positions = self._powers.find_pairs(pairs)
        if 0 < len(positions) <= self._capacity:
            self._solve(positions)

    def _solve(self, positions: IntArray) -> FloatArray:
        """Return ``(Z B)^T`` for every pole and for the bound, (P + 1, k, N) by node."""
        wanted = positions.tolist()
        with self._lock:
            solved = {edge: self._solved[edge] for edge in wanted if edge in self._solved}
            missing = [edge for edge in wanted if edge not in solved]
            if missing:
                anew = dict(zip(missing, self._solve_anew(np.array(missing)), strict=True))
                solved |= anew
                self._solved.update(anew)
        return np.stack([solved[edge] for edge in wanted], axis=1)

    def _solve_anew(self, positions: IntArray) -> FloatArray:
        # Blocks have a fixed width, so that a solution does not depend on the other edges.
        narrow = len(self._place) <= NARROW_SOLVE_NODES
        block_size = _NARROW_BLOCK if narrow else _WIDE_BLOCK
        spare = -len(positions) % block_size
        incidence = np.pad(self._incidence(positions), ((0, 0), (0, spare)))
        tasks: list[Callable[[], FloatArray]] = [
            partial(self._solve_block, np.ascontiguousarray(block))
            for block in np.split(incidence, incidence.shape[1] // block_size, axis=1)
        ]
        blocks = run_tasks(tasks, together=not narrow)
        return np.concatenate(blocks)[: len(positions)]

    def _solve_block(self, incidence: FloatArray) -> FloatArray:
        solved = self._factors.solve_each(incidence)
        return np.ascontiguousarray(solved[:, self._place].transpose(2, 0, 1))

    def _incidence(self, positions: IntArray) -> FloatArray:
        """Return ``B`` in elimination order, (N, k)."""
        later, earlier = self._powers.elimination.pairs[positions].T
        columns = np.arange(len(positions))
        incidence = np.zeros((len(self._place), len(positions)))
        incidence[later, columns] = 1
        incidence[earlier, columns] = -1
        return incidence

    def _inner(self, solved: FloatArray, positions: IntArray) -> FloatArray:
        """Return ``w^-1 - B^T Z B``, (P + 1, k, k)."""
        later, earlier = self.whole.order[self._powers.elimination.pairs[positions].T]
        columns = np.arange(len(positions))
        inner = solved[:, :, earlier] - solved[:, :, later]
        inner[:, columns, columns] += 1 / self._powers.weights[positions]
        return np.asarray(inner + inner.transpose(0, 2, 1)) / 2

    def _reaches(self, inner: FloatArray, island_count: int) -> bool:
        values = np.linalg.eigvalsh(inner)
        doubtful = np.abs(values).min() < _DOUBTFUL * np.abs(values).max()
        below = self._factors.below + int((values < 0).sum())
        return below == island_count and not doubtful

    def _finish(
        self, rows: FloatArray, signs: FloatArray, islands: IntArray, positions: IntArray
    ) -> PowerCorrection:
        sizes = np.bincount(islands)
        fractions = self.whole.fractions
        if len(sizes) > len(self.whole.sizes):
            parts, shares = _mean_difference(self.whole, islands, sizes)
            rows = np.vstack([rows, parts])
            signs = np.append(signs, -fractions.at_zero * shares)
        if fractions.slope:
            rows = np.vstack([rows, self._incidence(positions)[self._place].T])
            signs = np.append(signs, -fractions.slope * self._powers.weights[positions])
        signs = signs * self._scale
        degrees = self.whole.degrees + np.einsum("rn,rn,r->n", rows, rows, signs)
        degrees[sizes[islands] == 1] = 0
        return PowerCorrection(rows, signs, degrees)


def _mean_difference(
    whole: FactoredPower, islands: IntArray, sizes: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return ``P0_c - P0`` as ``parts^T diag(shares) parts``, over islands that were split."""
    changed = sizes[islands] != whole.sizes[whole.islands]
    new, old = np.unique(islands[changed]), np.unique(whole.islands[changed])
    parts = np.vstack([islands == new[:, None], whole.islands == old[:, None]])
    return parts.astype(np.float64), np.concatenate([1 / sizes[new], -1 / whole.sizes[old]])
