"""The Lévy operators of one graph and of its censored copies."""

from functools import cached_property
from typing import TYPE_CHECKING

from ml.arrays import FloatArray, IntArray, SparseMatrix
from ml.config.settings import OperatorKind
from ml.graph.graph import censor_pairs
from ml.levy.choose import SMALL_NODES, OperatorChoice, choose_operator
from ml.levy.dense import DenseLevyOperator, fractional_laplacian
from ml.levy.interface import LevyOperator
from ml.levy.ordinary import OrdinaryWalkOperator

if TYPE_CHECKING:
    from ml.levy.solver.low_rank import LowRankPowers, PowerCorrection
    from ml.levy.solver.powers import FactoredPower, GraphPowers

_FEW = 24
"""Edges up to which a correction, quadratic in their number, is cheaper than new factors."""


class LevyFamily:
    """Builds the operator of a graph, whole or with edges taken out.

    Equation: Sec. III-B, ``Lt`` and, after Algorithm 1, ``Lt_(p_P-D.E.)``.
    Deviation: a full matrix or sparse factors, as ``choice`` explains; the results are equal
        within ``accuracy``.
    Cost: the operator of a censored graph is a low-rank correction beside a full matrix or
        within the dense core of a graph that has one, else one numeric factorisation.
    """

    def __init__(
        self,
        adjacency: SparseMatrix,
        gamma: float,
        sigma: float,
        kind: OperatorKind = "auto",
        accuracy: float = 1e-6,
    ) -> None:
        self.adjacency = adjacency
        self.gamma = gamma
        self.sigma = sigma
        self.kind = kind
        self.accuracy = accuracy

    @cached_property
    def choice(self) -> OperatorChoice:
        """Which implementation is used, and why."""
        return choose_operator(self.adjacency, self.gamma, self.kind)

    def whole(self) -> LevyOperator:
        """Return the operator of the graph as it is."""
        if self.choice.kind == "sparse":
            return self._whole_sparse
        if self.choice.kind == "corrected":
            return self._matrix
        return self._build(self.adjacency)

    def whole_once(self) -> LevyOperator:
        """Return the operator of the graph for a few applications, not for many epochs.

        Cost: a full matrix of thousands of nodes is not worth its making; sparse factors are.
        """
        if self.choice.kind == "corrected" and self.adjacency.shape[0] > SMALL_NODES:
            return self._whole_sparse
        return self.whole()

    def censored(self, pairs: IntArray) -> LevyOperator:
        """Return the operator of the graph without these pairs of nodes, (k, 2)."""
        if self._keeps_rows and 0 < len(pairs) <= _FEW:
            correction = self._low_rank.correct(pairs)
            if correction is not None:
                return self._correct(correction)
        small = self.adjacency.shape[0] <= SMALL_NODES
        if self.choice.kind == "sparse" or (self.choice.kind == "corrected" and not small):
            return self._sparse(self._powers.censored(pairs))
        return self._build(censor_pairs(self.adjacency, pairs))

    def expect(self, pairs: IntArray) -> None:
        """Prepare for the censoring of some of these pairs, (m, 2), at every epoch."""
        if self._keeps_rows:
            self._low_rank.expect(pairs)

    @property
    def _keeps_rows(self) -> bool:
        """True if the correction for a censored graph is kept as rows beside the full matrix."""
        return self.choice.kind == "corrected" and not self._powers.elimination.has_core

    @cached_property
    def _powers(self) -> "GraphPowers":
        from ml.levy.solver.powers import GraphPowers

        return GraphPowers(self.adjacency, self.gamma, self.accuracy, self.choice.ordering)

    @cached_property
    def _low_rank(self) -> "LowRankPowers":
        from ml.levy.solver.low_rank import LowRankPowers

        return LowRankPowers(self._powers)

    @cached_property
    def _power(self) -> FloatArray:
        """``L^g`` of the whole graph: by its spectrum if small, else column by column."""
        if self.adjacency.shape[0] <= SMALL_NODES:
            return fractional_laplacian(self.adjacency, self.gamma)
        return self._powers.reaching_down.matrix()

    @cached_property
    def _matrix(self) -> DenseLevyOperator:
        return DenseLevyOperator(self.adjacency, self.gamma, self.sigma, self._power)

    @cached_property
    def _whole_sparse(self) -> LevyOperator:
        return self._sparse(self._powers.whole())

    def _correct(self, correction: "PowerCorrection") -> LevyOperator:
        if self.adjacency.shape[0] <= SMALL_NODES:
            power = self._power + (correction.rows.T * correction.signs) @ correction.rows
            # Round-off in place of zero would be raised to a negative power.
            isolated = correction.degrees == 0
            power[isolated] = 0
            power[:, isolated] = 0
            return DenseLevyOperator(self.adjacency, self.gamma, self.sigma, power)
        from ml.levy.corrected import CorrectedLevyOperator

        return CorrectedLevyOperator(self._low_rank.whole, correction, self.sigma, self._matrix)

    def _sparse(self, power: "FactoredPower") -> LevyOperator:
        from ml.levy.sparse import SparseLevyOperator

        return SparseLevyOperator(power, self.sigma)

    def _build(self, adjacency: SparseMatrix) -> LevyOperator:
        if self.choice.kind == "ordinary":
            return OrdinaryWalkOperator(adjacency, self.sigma)
        return DenseLevyOperator(adjacency, self.gamma, self.sigma)
