"""Label propagation for every fold at once: one factorisation serves all of cross-validation."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from ml.arrays import FloatArray, IntArray, SparseMatrix
from ml.graph.laplacian import check_exponents, degree_power, degrees_of, laplacian_of
from ml.levy.dense import fractional_laplacian
from ml.levy.filter import check_filter

Readout = Literal["additive", "clamped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spreading:
    """How known labels spread over the graph; checks itself.

    ``additive`` adds the responses of the labels (the closed forms); ``clamped`` weighs them
    until each known node has its own label (label propagation, if alpha is near one). With
    ``balanced`` every class is scaled to have the mass of its share of the labels.

    Equation: Eqs. (eq_gssl) and (fractional_closed_form); Zhu and Ghahramani (2002), Eq. (5);
        class mass normalisation of Zhu, Ghahramani and Lafferty (2003).
    Raises: InvalidHyperparameter if alpha, sigma or gamma is outside its interval.
    """

    alpha: float
    gamma: float = 1.0
    sigma: float = 0.5
    readout: Readout = "additive"
    balanced: bool = False

    def __post_init__(self) -> None:
        check_filter(self.alpha, order=None)
        check_exponents(self.gamma, self.sigma)

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Self:
        """Read the settings of a candidate, which also name the edge weights."""
        return cls(**{name: value for name, value in settings.items() if name != "edges"})


@dataclass(frozen=True, eq=False)
class Responses:
    """What the known nodes receive of each other, for one alpha and one gamma.

    Equation: ``R = P^-1`` at the known nodes, ``P = (1 - a) D_g + a L^g``. The closed form of
        any sigma is ``(1 - a) D_g^(1-s) P^-1 D_g^s Y``: its rows differ from ``P^-1 D_g^s Y``
        by a factor only, so one inverse serves every sigma.
    Shapes: among (n, n), degrees (n,), reach (n,) = ``1^T P^-1`` at the known nodes.
    """

    among: FloatArray
    degrees: FloatArray
    reach: FloatArray


class Precision:
    """The factorised matrix ``P = (1 - a) D_g + a L^g`` of a graph.

    Deviation: an isolated node gets one on the diagonal, so that P stays regular.
    Cost: one sparse LU if gamma is one; else a dense Cholesky, O(N^3), given ``power = L^g``.
    """

    def __init__(
        self,
        adjacency: SparseMatrix,
        alpha: float,
        gamma: float = 1.0,
        power: FloatArray | None = None,
    ) -> None:
        check_filter(alpha, order=None)
        check_exponents(gamma, sigma=0)
        self._dense: tuple[FloatArray, bool] | None = None
        if gamma < 1:
            whole = fractional_laplacian(adjacency, gamma) if power is None else power
            self.degrees: FloatArray = np.diagonal(whole).copy()
            matrix = alpha * whole
            matrix[np.diag_indices_from(matrix)] = lift_degrees(self.degrees)
            self._dense = la.cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
            return
        self.degrees = degrees_of(adjacency)
        sparse = alpha * laplacian_of(adjacency)
        sparse = sparse + sp.diags_array(lift_degrees(self.degrees) - alpha * self.degrees)
        self.matrix: SparseMatrix = sp.csr_array(sparse)
        self._factors: sp.linalg.SuperLU | None = None

    def solve(self, columns: FloatArray) -> FloatArray:
        """Return ``P^-1 columns``. Shapes: (N, C) -> (N, C)."""
        if self._dense is not None:
            return np.asarray(la.cho_solve(self._dense, columns, check_finite=False))
        if self._factors is None:
            self._factors = factorise(self.matrix)
        return np.asarray(self._factors.solve(columns))

    def interpolate(self, nodes: IntArray, labels: FloatArray) -> FloatArray:
        """Return values that solve ``P F = 0`` at the other nodes and are given at ``nodes``.

        Equation: ``P_uu F_u = -P_un Y``.
        Cost: one sparse LU if gamma is one; else one solve with n columns.
        Shapes: nodes (n,), labels (n, K) -> (N, K).
        """
        values = np.zeros((len(self.degrees), labels.shape[1]))
        values[nodes] = labels
        if self._dense is not None:
            columns = np.zeros_like(values)
            columns[nodes] = np.linalg.solve(self.respond(nodes).among, labels)
            return self.solve(columns)
        others = np.setdiff1d(np.arange(len(self.degrees)), nodes)
        if len(others):
            rows = self.matrix[others]
            factors = factorise(rows[:, others])
            values[others] = factors.solve(-np.asarray(rows[:, nodes] @ labels))
        return values

    def respond(self, nodes: IntArray) -> Responses:
        """Return what some nodes receive of each other.

        Cost: one solve with n columns. Shapes: nodes (n,).
        """
        sources = np.zeros((len(self.degrees), len(nodes)))
        sources[nodes, np.arange(len(nodes))] = 1
        answered = self.solve(sources)
        among = answered[nodes]
        return Responses((among + among.T) / 2, self.degrees[nodes], answered.sum(axis=0))


def factorise(matrix: SparseMatrix) -> sp.linalg.SuperLU:
    """Return the sparse LU of a symmetric matrix."""
    return sp.linalg.splu(sp.csc_array(matrix), permc_spec="MMD_AT_PLUS_A")


def lift_degrees(degrees: FloatArray) -> FloatArray:
    """Return the diagonal of P: the degree, or one where a node is isolated."""
    return np.where(degrees > 0, degrees, 1.0)


def hold_out(
    responses: Responses, labels: FloatArray, folds: IntArray, spreading: Spreading
) -> FloatArray:
    """Return what each known node receives when the labels of its own fold are hidden.

    Equation: additive, ``F_f = R_fT D_T^s Y_T`` with T the nodes outside the fold f; clamped,
        ``F_f = R_fT R_TT^-1 Y_T = -S_ff^-1 S_fT Y_T`` with ``S = R^-1``, the Laplacian reduced
        to the known nodes (Kron reduction).
    Deviation: equal to propagation repeated per fold up to round-off.
    Cost: O(n^2 K), and O(n^3) if clamped; no further factorisation of the graph.
    Shapes: labels (n, K) indicator, folds (n,) numbers -> (n, K), rows sum to one.
    """
    clamped = spreading.readout == "clamped"
    given_all = labels if clamped else source_labels(labels, responses.degrees, spreading.sigma)
    reduced: FloatArray = responses.among
    reach: FloatArray = responses.reach
    if clamped:
        reduced = np.asarray(np.linalg.inv(reduced), dtype=np.float64)
        reach = reach @ reduced
    answer = np.zeros_like(labels)
    for fold in np.unique(folds):
        hidden = folds == fold
        values = np.where(hidden[:, None], 0.0, given_all)
        counts = labels.sum(axis=0) - labels[hidden].sum(axis=0)
        rows = reduced[hidden] @ values
        if clamped:
            rows = np.maximum(-np.linalg.solve(reduced[np.ix_(hidden, hidden)], rows), 0)
            values[hidden] = rows
        answer[hidden] = normalise(rows, counts, reach @ values, spreading.balanced)
    return answer


def spread_labels(
    precision: Precision, nodes: IntArray, labels: FloatArray, spreading: Spreading
) -> FloatArray:
    """Return what every node receives of the labels of some nodes.

    A known node hears its own label as well.

    Equation: as ``hold_out``, with T all of ``nodes``.
    Cost: one solve with K columns; clamped, see ``Precision.interpolate``.
    Shapes: nodes (n,), labels (n, K) -> (N, K), rows sum to one.
    """
    if spreading.readout == "clamped":
        values = precision.interpolate(nodes, labels)
    else:
        columns = np.zeros((len(precision.degrees), labels.shape[1]))
        columns[nodes] = source_labels(labels, precision.degrees[nodes], spreading.sigma)
        values = precision.solve(columns)
    return normalise(values, labels.sum(axis=0), values.sum(axis=0), spreading.balanced)


def hold_out_by_fold(
    precision: Precision,
    nodes: IntArray,
    labels: FloatArray,
    folds: IntArray,
    spreading: Spreading,
) -> FloatArray:
    """Return what ``hold_out`` does, one fold at a time: for more labels than fit a matrix.

    Cost: one ``spread_labels`` per fold. Shapes: nodes (n,), labels (n, K) -> (n, K).
    """
    answer = np.zeros_like(labels)
    for fold in np.unique(folds):
        hidden = folds == fold
        spread = spread_labels(precision, nodes[~hidden], labels[~hidden], spreading)
        answer[hidden] = spread[nodes[hidden]]
    return answer


def source_labels(labels: FloatArray, degrees: FloatArray, sigma: float) -> FloatArray:
    """Return ``D_g^s Y``; an isolated node counts as one of degree one. Shapes: (n, K)."""
    return labels * degree_power(lift_degrees(degrees), sigma)[:, None]


def normalise(
    values: FloatArray, counts: FloatArray, masses: FloatArray, balanced: bool
) -> FloatArray:
    """Scale rows to sum to one; rows that nothing reaches get the class frequencies.

    Shapes: values (m, K), counts (K,) labels per class, masses (K,) -> (m, K).
    """
    prior = counts / counts.sum()
    values = np.maximum(values, 0)
    if balanced:
        scale = np.divide(prior, masses, out=np.zeros_like(prior), where=masses > 0)
        values = values * scale
    totals = values.sum(axis=1, keepdims=True)
    answer: FloatArray = np.divide(
        values, totals, out=np.broadcast_to(prior, values.shape).copy(), where=totals > 1e-290
    )
    return answer
