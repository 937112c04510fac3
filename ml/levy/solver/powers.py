"""Fractional powers of the Laplacians of one graph and of its censored copies."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from ml.arrays import FloatArray, IntArray, SparseMatrix
from ml.graph.laplacian import check_exponents, degrees_of
from ml.levy.solver.core_factors import CensoredFactors, CoreFactors, factor_around_core
from ml.levy.solver.elimination import analyse
from ml.levy.solver.factors import ShiftedFactors, WeightedLaplacian
from ml.levy.solver.kernels import enter, label_islands, leave
from ml.levy.solver.ordering import Ordering, order_nodes
from ml.levy.solver.poles import PartialFractions, fit_power
from ml.levy.solver.spectrum import lower_bound, upper_bound

ACCURACY = 1e-6
"""Default relative error of ``Lt`` on signals without a mean."""
_FALL = 4
"""Factor by which censoring may lower the smallest eigenvalue before poles are fitted anew."""


@dataclass(frozen=True, eq=False)
class FactoredPower:
    """``L^g`` of a graph as a sum of sparse solves.

    Equation: ``L^g = r(L) - r(0) P0`` with ``r(L) = sum_j r_j (L + t_j I)^-1 + c I + s L`` and
        P0 the means of the islands.
    Deviation: ``r`` is close to the power within the tolerance of its poles. The spectrum of
        ``factors`` was scaled by ``scale`` to lie within [0, 1].
    Shapes: order (N,), islands (N,) by node, sizes (I,).
    """

    gamma: float
    scale: float
    order: IntArray
    islands: IntArray
    sizes: IntArray
    fractions: PartialFractions
    factors: ShiftedFactors | CoreFactors | CensoredFactors
    laplacian: WeightedLaplacian

    @cached_property
    def degrees(self) -> FloatArray:
        """The fractional degrees ``diag(L^g)``, zero for isolated nodes, (N,)."""
        diagonal = np.empty(len(self.order))
        sloping = self.fractions.slope * self.laplacian.degrees
        diagonal[self.order] = self.factors.diagonal + sloping
        sizes = self.sizes[self.islands]
        scaled = diagonal + self.fractions.constant - self.fractions.at_zero / sizes
        return np.where(sizes > 1, scaled * self.scale**self.gamma, 0.0)

    def matrix(self) -> FloatArray:
        """Return ``L^g`` as a full matrix. Cost: O(P entries N). Shapes: (N, N)."""
        ones = np.ones(len(self.order))
        return self.apply(np.eye(len(self.order)), ones, ones)

    def apply(self, signal: FloatArray, inward: FloatArray, outward: FloatArray) -> FloatArray:
        """Return ``diag(outward) L^g diag(inward) signal``.

        Deviation: the mean of each island is subtracted before and after the solves, which makes
            the null space exact in spite of round-off.
        Cost: O(P entries C) on all cores.
        Shapes: (N, C), (N,), (N,) -> (N, C).
        """
        block = enter(signal, self.order, inward, self.islands, self.sizes)
        power = self.factors.solve(block)
        power += self.fractions.constant * block
        if self.fractions.slope:
            power += self.fractions.slope * self.laplacian.multiply(block)
        scaled = outward * self.scale**self.gamma
        return leave(power, self.order, scaled, self.islands, self.sizes)


class GraphPowers:
    """One graph, analysed once for the powers of all its censored copies.

    Cost: one symbolic analysis; every power is a numeric factorisation on its pattern.
    Shapes: (N, N) symmetric sparse with at least one edge.
    Raises: InvalidHyperparameter if ``gamma`` is outside (0, 1].
    """

    def __init__(
        self,
        adjacency: SparseMatrix,
        gamma: float,
        accuracy: float = ACCURACY,
        ordering: Ordering | None = None,
    ) -> None:
        check_exponents(gamma, sigma=0)
        self.gamma = gamma
        self._node_count = adjacency.shape[0]
        upper = sp.triu(adjacency, k=1).tocoo()
        order = np.lexsort((upper.col, upper.row))
        pairs = np.stack([upper.row, upper.col], axis=1).astype(np.int64)[order]
        self._pairs = pairs
        self._keys = self._key(pairs)
        self.scale = upper_bound(pairs, degrees_of(adjacency))
        self.weights: FloatArray = upper.data[order] / self.scale
        # On signals without a mean Lt is of the size of gamma, and no degree is smaller than
        # that of a node with one edge, the weakest.
        self._tolerance = accuracy * gamma * float(self.weights.min()) ** gamma / 2
        ordering = ordering or order_nodes(adjacency)
        self.fill = ordering.fill
        self.elimination = analyse(ordering, pairs)

    @cached_property
    def lowest(self) -> float:
        """A bound below the positive spectrum of the whole graph, scaled to [0, 1]."""
        islands = self.label_islands(self.weights)
        return lower_bound(self.laplacian(self.weights), int(islands.max()) + 1)

    @property
    def lowest_censored(self) -> float:
        """A lower bound that holds for most censored graphs too; each of them is checked."""
        return self.lowest / _FALL

    def whole(self) -> FactoredPower:
        """Return the power of the whole graph.

        Cost: with a dense core the factors are shared with the censored graphs.
        """
        if self.elimination.has_core:
            return self.reaching_down
        return self._power(self.weights, self.lowest)

    @cached_property
    def reaching_down(self) -> FactoredPower:
        """The power of the whole graph with poles that suit most censored graphs too."""
        return self._power(self.weights, self.lowest_censored)

    def censored(self, pairs: IntArray) -> FactoredPower:
        """Return the power of the graph without these pairs of nodes, (k, 2).

        Deviation: poles are fitted from a bound that was checked on the censored graph,
            whose smallest eigenvalue may lie below that of the whole one.
        Cost: one numeric factorisation; the analysis and usually the poles are shared. With a
            dense core, a correction within it.
        """
        positions = np.unique(self.find_pairs(pairs))
        weights = self.weights.copy()
        weights[positions] = 0
        if len(positions) and self.elimination.has_core:
            corrected = self._correct(weights, positions)
            if corrected is not None:
                return corrected
        return self._power(weights, self.lowest_censored)

    def find_pairs(self, pairs: IntArray) -> IntArray:
        """Return the positions of pairs of nodes, in either direction. Shapes: (k, 2) -> (k,)."""
        return np.searchsorted(self._keys, self._key(np.sort(pairs, axis=1)))

    def fractions(self, lowest: float) -> PartialFractions:
        """Return the poles for spectra above ``lowest``."""
        return fit_power(self.gamma, lowest, self._tolerance)

    def laplacian(self, weights: FloatArray) -> WeightedLaplacian:
        """Return the Laplacian with other weights, zero for removed edges. Shapes: (M,)."""
        ends = self.elimination.pairs.ravel()
        degrees = np.bincount(ends, weights=np.repeat(weights, 2), minlength=self._node_count)
        return WeightedLaplacian(self.elimination, weights, degrees.astype(np.float64))

    def label_islands(self, weights: FloatArray) -> IntArray:
        """Number the islands that edges of positive weight connect. Shapes: (M,) -> (N,)."""
        return label_islands(self._pairs, weights, self._node_count)

    def _power(self, weights: FloatArray, lowest: float) -> FactoredPower:
        laplacian = self.laplacian(weights)
        islands = self.label_islands(weights)
        sizes = np.bincount(islands)
        fractions = self.fractions(lowest)
        factors = _factor(laplacian, fractions, lowest)
        if factors.below != len(sizes):
            lowest = lower_bound(laplacian, len(sizes))
            fractions = self.fractions(lowest)
            factors = _factor(laplacian, fractions, lowest)
        return FactoredPower(
            gamma=self.gamma,
            scale=self.scale,
            order=self.elimination.order,
            islands=islands,
            sizes=sizes,
            fractions=fractions,
            factors=factors,
            laplacian=laplacian,
        )

    def _correct(self, weights: FloatArray, positions: IntArray) -> FactoredPower | None:
        """Return the power of a censored graph, or None if the poles do not reach its spectrum."""
        whole = self.reaching_down
        islands = self.label_islands(weights)
        sizes = np.bincount(islands)
        if not isinstance(whole.factors, CoreFactors):
            return None
        factors = whole.factors.censor(self.elimination.pairs[positions], self.weights[positions])
        if factors.below != len(sizes):
            return None
        laplacian = self.laplacian(weights)
        return replace(whole, islands=islands, sizes=sizes, factors=factors, laplacian=laplacian)

    def _key(self, pairs: IntArray) -> IntArray:
        return pairs[:, 0] * self._node_count + pairs[:, 1]


def _factor(
    laplacian: WeightedLaplacian, fractions: PartialFractions, lowest: float
) -> ShiftedFactors | CoreFactors:
    if laplacian.elimination.has_core:
        return factor_around_core(laplacian, fractions.shifts, fractions.residues, lowest)
    return laplacian.factor(fractions.shifts, fractions.residues, lowest)
