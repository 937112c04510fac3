"""Operators of a graph and its censored copies that share sparse factors."""

from functools import cached_property

from ml.arrays import IntArray, SparseMatrix
from ml.levy.corrected import CorrectedLevyOperator
from ml.levy.dense import DenseLevyOperator
from ml.levy.interface import LevyOperator
from ml.levy.limits import LOW_RANK_EDGES
from ml.levy.solver.low_rank import LowRankPowers, PowerCorrection
from ml.levy.solver.powers import GraphPowers
from ml.levy.sparse import SparseLevyOperator


class FactoredOperators:
    """Sparse factors for the whole graph and for every censored one.

    Cost: one numeric factorisation per censored graph, or a correction within the dense core.
    """

    def __init__(self, powers: GraphPowers, sigma: float) -> None:
        self._powers = powers
        self._sigma = sigma

    @cached_property
    def _whole(self) -> LevyOperator:
        return SparseLevyOperator(self._powers.whole(), self._sigma)

    def whole(self) -> LevyOperator:
        """Return the operator of the whole graph."""
        return self._whole

    def whole_once(self) -> LevyOperator:
        """Return the operator of the whole graph."""
        return self._whole

    def censored(self, pairs: IntArray) -> LevyOperator:
        """Return the operator of the graph without these pairs of nodes, (k, 2)."""
        return SparseLevyOperator(self._powers.censored(pairs), self._sigma)

    def expect(self, pairs: IntArray) -> None:
        """Do nothing: the factors of one censored graph are of no use to the next."""


class Corrections:
    """Low-rank corrections for censored graphs, where they are possible.

    There is none for a graph with a dense core, for more than 24 edges, and for a censored graph
    whose spectrum lies below the reach of the poles.
    """

    def __init__(self, powers: GraphPowers) -> None:
        self._powers = powers

    @cached_property
    def _low_rank(self) -> LowRankPowers:
        return LowRankPowers(self._powers)

    def find(self, pairs: IntArray) -> PowerCorrection | None:
        """Return the correction for the loss of ``pairs``, (k, 2), or None."""
        if self._powers.elimination.has_core or not 0 < len(pairs) <= LOW_RANK_EDGES:
            return None
        return self._low_rank.correct(pairs)

    def expect(self, pairs: IntArray) -> None:
        """Solve for these pairs ahead, (m, 2)."""
        if not self._powers.elimination.has_core:
            self._low_rank.expect(pairs)


class LargeCorrectedOperators:
    """A full matrix from sparse factors; censored graphs keep it beside a low-rank term.

    Deviation: a censored graph that ``Corrections`` finds no correction for gets sparse factors.
    Cost: O(P entries N) for the whole matrix; k solves per pole for a new set of k edges.
    """

    def __init__(self, adjacency: SparseMatrix, powers: GraphPowers, sigma: float) -> None:
        self._adjacency = adjacency
        self._sigma = sigma
        self._powers = powers
        self._factored = FactoredOperators(powers, sigma)
        self._corrections = Corrections(powers)

    @cached_property
    def _matrix(self) -> DenseLevyOperator:
        power = self._powers.reaching_down.matrix()
        return DenseLevyOperator(self._adjacency, self._powers.gamma, self._sigma, power)

    def whole(self) -> LevyOperator:
        """Return the operator of the whole graph as a full matrix."""
        return self._matrix

    def whole_once(self) -> LevyOperator:
        """Return the operator of the whole graph by sparse factors."""
        return self._factored.whole()

    def censored(self, pairs: IntArray) -> LevyOperator:
        """Return the operator of the graph without these pairs of nodes, (k, 2)."""
        correction = self._corrections.find(pairs)
        if correction is None:
            return self._factored.censored(pairs)
        whole = self._powers.reaching_down
        return CorrectedLevyOperator(whole, correction, self._sigma, self._matrix)

    def expect(self, pairs: IntArray) -> None:
        """Prepare for the censoring of some of these pairs, (m, 2), in every epoch."""
        self._corrections.expect(pairs)
