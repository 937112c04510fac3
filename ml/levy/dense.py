"""The Lévy operator as a full matrix: exact, for graphs of up to a few thousand nodes."""

import numpy as np

from ml.arrays import FloatArray, SparseMatrix
from ml.graph.graph import members_of_islands
from ml.graph.laplacian import check_exponents, degree_power, laplacian_of
from ml.levy.interface import LevyOperator


def fractional_laplacian(adjacency: SparseMatrix, gamma: float) -> FloatArray:
    """Raise the Laplacian to a real power through the spectrum of each island.

    Equation: Sec. III-A, ``L^g = U diag(lambda^g) U^T``, ``0 < g <= 1``.
    Deviation: the spectrum is taken island by island, eigenvalues within round-off of zero
        are set to zero first, because a small power lifts them (``1e-16 ** 0.1`` is 0.03),
        the constants of an island are projected out, and off-diagonal entries that round-off
        made positive are set to zero.
    Cost: O(N^3) time and O(N^2) memory; ``gamma = 1`` only copies the Laplacian.
    Shapes: (N, N) symmetric sparse -> (N, N) symmetric; isolated nodes zero.
    Raises: InvalidHyperparameter if ``gamma`` is outside (0, 1].
    """
    check_exponents(gamma, sigma=0)
    laplacian = laplacian_of(adjacency)
    if gamma == 1:
        return laplacian.toarray()
    power = np.zeros(laplacian.shape)
    for nodes in members_of_islands(adjacency):
        if len(nodes) > 1:
            block = laplacian[nodes][:, nodes].toarray()
            power[np.ix_(nodes, nodes)] = _connected_power(block, gamma)
    return power


def _connected_power(laplacian: FloatArray, gamma: float) -> FloatArray:
    values, vectors = np.linalg.eigh(laplacian)
    round_off = len(values) * np.finfo(np.float64).eps * values[-1]
    powers = np.where(values > round_off, np.maximum(values, 0) ** gamma, 0)
    power: FloatArray = (vectors * powers) @ vectors.T
    power -= power.mean(axis=0)
    power -= power.mean(axis=1, keepdims=True)
    power += power.T.copy()
    power /= 2
    degrees = np.diagonal(power).copy()
    np.minimum(power, 0, out=power)
    np.fill_diagonal(power, degrees)
    return power


def fractional_adjacency(adjacency: SparseMatrix, gamma: float) -> FloatArray:
    """Return the weights along which a Lévy flight jumps.

    Equation: Sec. III-A, ``W_g = D_g - L^g`` with ``(D_g)_ii = (L^g)_ii``.
    Cost: that of ``fractional_laplacian``.
    Shapes: (N, N) symmetric sparse -> (N, N) symmetric, non-negative, zero diagonal.
    Raises: InvalidHyperparameter if ``gamma`` is outside (0, 1].
    """
    return _weights_of(fractional_laplacian(adjacency, gamma))


def _weights_of(power: FloatArray) -> FloatArray:
    weights = 0.0 - power
    np.fill_diagonal(weights, 0)
    return weights


def transition_matrix(adjacency: SparseMatrix, gamma: float) -> FloatArray:
    """Return the jump probabilities of a Lévy flight.

    Equation: Eq. (prob_jump), ``m_uv = delta_uv - (L^g)_uv / k_u``, ``k_u = (L^g)_uu``.
    Deviation: the row of an isolated node, for which ``k_u = 0``, is zero.
    Cost: that of ``fractional_laplacian``.
    Shapes: (N, N) symmetric sparse -> (N, N); rows sum to one.
    Raises: InvalidHyperparameter if ``gamma`` is outside (0, 1].
    """
    return DenseLevyOperator(adjacency, gamma, sigma=1).matrix


class DenseLevyOperator(LevyOperator):
    """The walk matrix of a Lévy flight, stored as a full matrix.

    Equation: Sec. III-B, ``Lt = D_g^-s W_g D_g^(s-1)``.
    Deviation: rows and columns of isolated nodes are zero.
    Cost: that of ``fractional_laplacian`` to build, O(N^2 C) to apply.
    Raises: InvalidHyperparameter if ``gamma`` or ``sigma`` is outside its interval.
    """

    def __init__(
        self,
        adjacency: SparseMatrix,
        gamma: float,
        sigma: float,
        power: FloatArray | None = None,
    ) -> None:
        """Build the matrix; ``power`` is ``L^g``, (N, N), computed here if None."""
        check_exponents(gamma, sigma)
        self.gamma = gamma
        self.sigma = sigma
        if power is None:
            power = fractional_laplacian(adjacency, gamma)
        self._degrees = np.diagonal(power).copy()
        left = degree_power(self._degrees, -sigma)
        right = degree_power(self._degrees, sigma - 1)
        self.matrix: FloatArray = left[:, None] * _weights_of(power) * right

    @property
    def node_count(self) -> int:
        """Number of nodes that the operator acts on."""
        return len(self._degrees)

    def apply(self, signal: FloatArray) -> FloatArray:
        """Return ``Lt @ signal``. Shapes: (N, C) -> (N, C)."""
        return self.matrix @ signal

    def apply_transposed(self, signal: FloatArray) -> FloatArray:
        """Return ``Lt.T @ signal``. Shapes: (N, C) -> (N, C)."""
        return self.matrix.T @ signal

    def diagonal(self) -> FloatArray:
        """Return the fractional degrees ``diag(L^g)``, (N,)."""
        return self._degrees

    def solve(self, signal: FloatArray, alpha: float, *, transposed: bool = False) -> FloatArray:
        """Return ``(I - a Lt)^-1 signal``, or that of ``Lt^T``, by a direct solve.

        Cost: O(N^3).
        Shapes: (N, C) or (N,) -> the same.
        """
        return solve_filter(self.matrix.T if transposed else self.matrix, signal, alpha)


def solve_filter(matrix: FloatArray, signal: FloatArray, alpha: float) -> FloatArray:
    """Return ``(I - a M)^-1 signal`` for a full matrix. Shapes: (N, N), (N, C) -> (N, C)."""
    system = np.eye(len(matrix)) - alpha * matrix
    return np.asarray(np.linalg.solve(system, signal), dtype=np.float64)
