"""The Lévy operators of one graph and of its censored copies."""

from functools import cached_property
from typing import TYPE_CHECKING

from ml.arrays import IntArray, SparseMatrix
from ml.config import OperatorKind
from ml.graph import censor_pairs
from ml.levy.choice import OperatorChoice, choose_operator
from ml.levy.dense import DenseLevyOperator
from ml.levy.interface import LevyOperator
from ml.levy.ordinary import OrdinaryWalkOperator

if TYPE_CHECKING:
    from ml.levy.powers import FactoredPower, GraphPowers


class LevyFamily:
    """Builds the operator of a graph, whole or with edges taken out.

    Equation: Sec. III-B, ``Lt`` and, after Algorithm 1, ``Lt_(p_P-D.E.)``.
    Deviation: a full matrix or sparse factors, as ``choice`` explains; the results are equal
        within ``accuracy``.
    Cost: a censored operator costs a sparse family one numeric factorisation.
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
            return self._sparse(self._powers.whole())
        return self._build(self.adjacency)

    def censored(self, pairs: IntArray) -> LevyOperator:
        """Return the operator of the graph without these pairs of nodes, (k, 2)."""
        if self.choice.kind == "sparse":
            return self._sparse(self._powers.censored(pairs))
        return self._build(censor_pairs(self.adjacency, pairs))

    @cached_property
    def _powers(self) -> "GraphPowers":
        from ml.levy.powers import GraphPowers

        return GraphPowers(self.adjacency, self.gamma, self.accuracy, self.choice.ordering)

    def _sparse(self, power: "FactoredPower") -> LevyOperator:
        from ml.levy.sparse import SparseLevyOperator

        return SparseLevyOperator(power, self.sigma)

    def _build(self, adjacency: SparseMatrix) -> LevyOperator:
        if self.choice.kind == "ordinary":
            return OrdinaryWalkOperator(adjacency, self.sigma)
        return DenseLevyOperator(adjacency, self.gamma, self.sigma)
