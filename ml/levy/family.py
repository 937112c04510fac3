"""The Lévy operators of one graph and of its censored copies."""

from ml.arrays import IntArray, SparseMatrix
from ml.config import OperatorKind
from ml.graph import censor_pairs
from ml.levy.dense import DenseLevyOperator
from ml.levy.interface import LevyOperator


class LevyFamily:
    """Builds the operator of a graph, whole or with edges taken out.

    Equation: Sec. III-B, ``Lt`` and, after Algorithm 1, ``Lt_(p_P-D.E.)``.
    """

    def __init__(
        self, adjacency: SparseMatrix, gamma: float, sigma: float, kind: OperatorKind = "auto"
    ) -> None:
        self.adjacency = adjacency
        self.gamma = gamma
        self.sigma = sigma
        self.kind = kind

    def whole(self) -> LevyOperator:
        """Return the operator of the graph as it is."""
        return self._build(self.adjacency)

    def censored(self, pairs: IntArray) -> LevyOperator:
        """Return the operator of the graph without these pairs of nodes, (k, 2)."""
        return self._build(censor_pairs(self.adjacency, pairs))

    def _build(self, adjacency: SparseMatrix) -> LevyOperator:
        return DenseLevyOperator(adjacency, self.gamma, self.sigma)
