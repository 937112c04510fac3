"""The Lévy operator through sparse factors: nearly linear in the size of a power grid."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from ml.arrays import FloatArray, IntArray, SparseMatrix
from ml.graph import islands_of
from ml.levy.elimination import Elimination, Ordering, analyse, order_nodes
from ml.levy.factors import ShiftedFactors, WeightedLaplacian
from ml.levy.kernels import enter, leave
from ml.levy.laplacian import check_exponents, degree_power, degrees_of
from ml.levy.poles import PartialFractions, fit_power
from ml.levy.spectrum import holds, lower_bound, upper_bound

ACCURACY = 1e-6
"""Relative error of ``Lt`` on signals without a mean, unless asked otherwise."""
_FALL_OF_CENSORED = 4


class SparseLevyOperator:
    """The walk matrix of a Lévy flight as a sum of sparse solves, never stored.

    Equation: Sec. III-B, ``Lt = I - D_g^-s L^g D_g^(s-1)`` with ``L^g = r(L) - r(0) P0``,
        ``r(L) = sum_j r_j (L + t_j I)^-1 + c I`` and P0 the means of the islands.
    Deviation: ``r`` replaces the power within the tolerance of its poles; signals lose the
        mean of each island before and after, which makes the null space exact. Rows and
        columns of isolated nodes are zero.
    Cost: O(P entries C) to apply, with P poles and some five entries a bus.
    """

    def __init__(self, graph: "SparseLevyGraph", censored: "_Censored", sigma: float) -> None:
        check_exponents(graph.gamma, sigma)
        self.gamma = graph.gamma
        self.sigma = sigma
        self._order = graph.elimination.order
        self._islands = censored.islands
        self._sizes = np.bincount(censored.islands)
        self._factors = censored.factors
        self._constant = censored.fractions.constant
        self._degrees = self._fractional_degrees(censored.fractions, graph.scale)
        self._kept = (self._degrees > 0).astype(np.float64)
        # The spectrum was scaled to one; D_g^-s D_g^(s-1) takes the scale out again.
        self._outward = degree_power(self._degrees, -sigma) * graph.scale**self.gamma
        self._inward = degree_power(self._degrees, sigma - 1)

    @property
    def node_count(self) -> int:
        """How many nodes the operator acts on."""
        return len(self._order)

    @property
    def pole_count(self) -> int:
        """How many shifted systems an application solves."""
        return len(self._factors.residues)

    def apply(self, signal: FloatArray) -> FloatArray:
        """Return ``Lt @ signal``. Shapes: (N, C) -> (N, C)."""
        return self._walk(signal, self._inward, self._outward)

    def apply_transposed(self, signal: FloatArray) -> FloatArray:
        """Return ``Lt.T @ signal``. Shapes: (N, C) -> (N, C)."""
        return self._walk(signal, self._outward, self._inward)

    def diagonal(self) -> FloatArray:
        """Return the fractional degrees ``diag(L^g)``, (N,)."""
        return self._degrees

    def _walk(self, signal: FloatArray, inward: FloatArray, outward: FloatArray) -> FloatArray:
        columns = np.ascontiguousarray(signal, dtype=np.float64).reshape(len(signal), -1)
        block = enter(columns, self._order, inward, self._islands, self._sizes)
        power = self._factors.solve(block)
        power += self._constant * block
        taken = leave(power, self._order, outward, self._islands, self._sizes)
        walked = columns * self._kept[:, None] - taken
        return walked.reshape(np.shape(signal))

    def _fractional_degrees(self, fractions: PartialFractions, scale: float) -> FloatArray:
        diagonal = np.empty(self.node_count)
        diagonal[self._order] = self._factors.diagonal
        at_zero = fractions(np.zeros(1))[0]
        sizes = self._sizes[self._islands]
        degrees = (diagonal + fractions.constant - at_zero / sizes) * scale**self.gamma
        return np.where(sizes > 1, degrees, 0.0)


@dataclass(frozen=True, eq=False)
class _Censored:
    """What an operator needs to know of its graph, whole or censored."""

    islands: IntArray
    fractions: PartialFractions
    factors: ShiftedFactors


class SparseLevyGraph:
    """One graph analysed once, for the operators of all its censored copies.

    Cost: one symbolic analysis; every operator is a numeric factorisation on its pattern.
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
        self.adjacency = adjacency
        upper = sp.triu(adjacency, k=1).tocoo()
        order = np.lexsort((upper.col, upper.row))
        pairs = np.stack([upper.row, upper.col], axis=1).astype(np.int64)[order]
        self._keys = self._key(pairs)
        self.scale = upper_bound(pairs, degrees_of(adjacency))
        self._weights = upper.data[order] / self.scale
        # On signals without a mean Lt is of the size of gamma, and no degree is smaller than
        # that of a node with one edge, the weakest.
        self._tolerance = accuracy * gamma * float(self._weights.min()) ** gamma / 2
        self.elimination: Elimination = analyse(ordering or order_nodes(adjacency), pairs)

    @cached_property
    def lowest(self) -> float:
        """The bound below which the whole graph, scaled, has no positive eigenvalue."""
        islands = islands_of(self.adjacency)
        return lower_bound(self._laplacian(self._weights), int(islands.max()) + 1)

    def whole(self, sigma: float) -> SparseLevyOperator:
        """Return the operator of the graph as it is."""
        islands = islands_of(self.adjacency)
        return self._operator(self._weights, islands, self.lowest, sigma)

    def censored(self, pairs: IntArray, sigma: float) -> SparseLevyOperator:
        """Return the operator of the graph without these pairs of nodes, (k, 2).

        Deviation: poles are fitted from a bound that was checked on the censored graph,
            whose smallest eigenvalue may lie below that of the whole one.
        Cost: one numeric factorisation; the analysis and mostly the poles are shared.
        """
        weights = self._weights.copy()
        weights[np.searchsorted(self._keys, self._key(np.sort(pairs, axis=1)))] = 0
        islands = self._islands(weights)
        laplacian = self._laplacian(weights)
        island_count = int(islands.max()) + 1
        lowest = self.lowest / _FALL_OF_CENSORED
        if not holds(laplacian, island_count, lowest):
            lowest = lower_bound(laplacian, island_count)
        return self._operator(weights, islands, lowest, sigma)

    def _operator(
        self, weights: FloatArray, islands: IntArray, lowest: float, sigma: float
    ) -> SparseLevyOperator:
        fractions = fit_power(self.gamma, lowest, self._tolerance)
        factors = self._laplacian(weights).factor(fractions.shifts, fractions.residues)
        return SparseLevyOperator(self, _Censored(islands, fractions, factors), sigma)

    def _laplacian(self, weights: FloatArray) -> WeightedLaplacian:
        count = self.elimination.node_count
        ends = self.elimination.pairs.ravel()
        degrees = np.bincount(ends, weights=np.repeat(weights, 2), minlength=count)
        return WeightedLaplacian(self.elimination, weights, degrees.astype(np.float64))

    def _islands(self, weights: FloatArray) -> IntArray:
        present = self.elimination.order[self.elimination.pairs[weights > 0]]
        entries = (np.ones(len(present)), (present[:, 0], present[:, 1]))
        return islands_of(sp.csr_array(entries, shape=self.adjacency.shape))

    def _key(self, pairs: IntArray) -> IntArray:
        return pairs[:, 0] * self.adjacency.shape[0] + pairs[:, 1]
