"""The Lévy operators of one graph and of its censored copies."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from ml.arrays import FloatArray, IntArray, SparseMatrix
from ml.config.settings import OperatorKind
from ml.graph.graph import censor_pairs
from ml.levy.choose import OperatorChoice, choose_operator
from ml.levy.dense import DenseLevyOperator, fractional_laplacian
from ml.levy.interface import LevyOperator
from ml.levy.limits import SPECTRUM_NODES
from ml.levy.ordinary import OrdinaryWalkOperator

if TYPE_CHECKING:
    from ml.levy.factored import Corrections
    from ml.levy.solver.powers import GraphPowers


class OperatorSource(Protocol):
    """Builds the operator of a graph and of its censored copies in one of the four ways."""

    def whole(self) -> LevyOperator:
        """Return the operator of the whole graph, to be applied over many epochs."""

    def whole_once(self) -> LevyOperator:
        """Return the operator of the whole graph, to be applied a few times."""

    def censored(self, pairs: IntArray) -> LevyOperator:
        """Return the operator of the graph without these pairs of nodes, (k, 2)."""

    def expect(self, pairs: IntArray) -> None:
        """Prepare for the censoring of some of these pairs, (m, 2), in every epoch."""


class LevyFamily:
    """Builds the operator of a graph, whole or with edges removed.

    Equation: Sec. III-B, ``Lt`` and, after Algorithm 1, ``Lt_(p_P-D.E.)``.
    Deviation: a full matrix or sparse factors, see ``choice``; the results are equal within
        ``accuracy``.
    Cost: the operator of a censored graph is a low-rank correction beside a full matrix or
        within the dense core of a graph that has one, else one numeric factorisation. The
        package ``ml.levy.solver`` has a diagram of the three ways.
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
        """The implementation in use and the reason for it."""
        return choose_operator(self.adjacency, self.gamma, self.kind)

    def whole(self) -> LevyOperator:
        """Return the operator of the whole graph."""
        return self._source.whole()

    def whole_once(self) -> LevyOperator:
        """Return the operator of the whole graph for a few applications instead of many epochs.

        Cost: sparse factors beyond 600 nodes, since a full matrix takes longer to compute.
        """
        return self._source.whole_once()

    def censored(self, pairs: IntArray) -> LevyOperator:
        """Return the operator of the graph without these pairs of nodes, (k, 2)."""
        return self._source.censored(pairs)

    def expect(self, pairs: IntArray) -> None:
        """Prepare for the censoring of some of these pairs, (m, 2), in every epoch."""
        self._source.expect(pairs)

    @cached_property
    def _source(self) -> OperatorSource:
        if self.choice.kind == "dense":
            return _RebuiltOperators(self.adjacency, self._dense)
        if self.choice.kind == "ordinary":
            return _RebuiltOperators(self.adjacency, self._ordinary)
        if self.choice.kind == "corrected" and self.adjacency.shape[0] <= SPECTRUM_NODES:
            return _SmallCorrectedOperators(
                self.adjacency, self.gamma, self.sigma, self._corrections
            )
        return self._factored_source()

    def _factored_source(self) -> OperatorSource:
        # Imported late: numba takes a second, and whole graphs of up to 600 nodes do without.
        from ml.levy.factored import FactoredOperators, LargeCorrectedOperators

        if self.choice.kind == "sparse":
            return FactoredOperators(self._powers, self.sigma)
        return LargeCorrectedOperators(self.adjacency, self._powers, self.sigma)

    def _corrections(self) -> "Corrections":
        from ml.levy.factored import Corrections

        return Corrections(self._powers)

    @cached_property
    def _powers(self) -> "GraphPowers":
        from ml.levy.solver.powers import GraphPowers

        return GraphPowers(self.adjacency, self.gamma, self.accuracy, self.choice.ordering)

    def _dense(self, adjacency: SparseMatrix) -> LevyOperator:
        return DenseLevyOperator(adjacency, self.gamma, self.sigma)

    def _ordinary(self, adjacency: SparseMatrix) -> LevyOperator:
        return OrdinaryWalkOperator(adjacency, self.sigma)


class _RebuiltOperators:
    """Computes every operator from its adjacency: the full matrix, and the walk of gamma = 1."""

    def __init__(
        self, adjacency: SparseMatrix, build: Callable[[SparseMatrix], LevyOperator]
    ) -> None:
        self._adjacency = adjacency
        self._build = build

    def whole(self) -> LevyOperator:
        return self._build(self._adjacency)

    def whole_once(self) -> LevyOperator:
        return self._build(self._adjacency)

    def censored(self, pairs: IntArray) -> LevyOperator:
        return self._build(censor_pairs(self._adjacency, pairs))

    def expect(self, pairs: IntArray) -> None:
        """Do nothing: no operator shares work with another."""


class _SmallCorrectedOperators:
    """A full matrix from the whole spectrum; censored graphs get a corrected full matrix.

    Deviation: a censored graph that ``Corrections`` finds no correction for is computed anew from
        its spectrum.
    Cost: O(N^3) for the whole graph, O(N^2 R) for a correction of rank R.
    """

    def __init__(
        self,
        adjacency: SparseMatrix,
        gamma: float,
        sigma: float,
        make_corrections: Callable[[], "Corrections"],
    ) -> None:
        self._adjacency = adjacency
        self._exponents = (gamma, sigma)
        self._make_corrections = make_corrections

    @cached_property
    def _corrections(self) -> "Corrections":
        return self._make_corrections()

    @cached_property
    def _power(self) -> FloatArray:
        return fractional_laplacian(self._adjacency, self._exponents[0])

    @cached_property
    def _whole(self) -> LevyOperator:
        return DenseLevyOperator(self._adjacency, *self._exponents, self._power)

    def whole(self) -> LevyOperator:
        return self._whole

    def whole_once(self) -> LevyOperator:
        return self._whole

    def censored(self, pairs: IntArray) -> LevyOperator:
        correction = self._corrections.find(pairs)
        if correction is None:
            return DenseLevyOperator(censor_pairs(self._adjacency, pairs), *self._exponents)
        power = self._power + (correction.rows.T * correction.signs) @ correction.rows
        # Round-off in place of zero would be raised to a negative power.
        isolated = correction.degrees == 0
        power[isolated] = 0
        power[:, isolated] = 0
        return DenseLevyOperator(self._adjacency, *self._exponents, power)

    def expect(self, pairs: IntArray) -> None:
        self._corrections.expect(pairs)
