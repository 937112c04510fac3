"""The Lévy operator as all other code sees it, however it is stored."""

from abc import ABC, abstractmethod

import numpy as np

from ml.arrays import FloatArray
from ml.graph.laplacian import degree_power
from ml.levy.conjugate_gradients import solve_symmetric


class LevyOperator(ABC):
    """The walk matrix of a Lévy flight over a graph.

    Equation: Sec. III-B, ``Lt = D_g^-s W_g D_g^(s-1) = I - D_g^-s L^g D_g^(s-1)`` where
        ``D_g = diag(L^g)`` and ``W_g = D_g - L^g``.
    Deviation: an isolated node has ``D_g = 0``; its row and column of ``Lt`` are zero.
    """

    gamma: float
    sigma: float

    @property
    @abstractmethod
    def node_count(self) -> int:
        """Number of nodes that the operator acts on."""

    @abstractmethod
    def apply(self, signal: FloatArray) -> FloatArray:
        """Return ``Lt @ signal``. Shapes: (N, C) -> (N, C)."""

    @abstractmethod
    def apply_transposed(self, signal: FloatArray) -> FloatArray:
        """Return ``Lt.T @ signal``. Shapes: (N, C) -> (N, C)."""

    @abstractmethod
    def diagonal(self) -> FloatArray:
        """Return the fractional degrees ``diag(L^g)``, (N,)."""

    def solve(self, signal: FloatArray, alpha: float, *, transposed: bool = False) -> FloatArray:
        """Return ``(I - a Lt)^-1 signal``, or that of ``Lt^T``.

        Equation: the similar symmetric system ``I - a D^-1/2 W D^-1/2``, whose spectrum lies in
            ``[1 - a, 1 + a]``, by conjugate gradients.
        Cost: some ten applications of the operator for alpha 0.5, a hundred for 0.99.
        Shapes: (N, C) or (N,) -> the same.
        Raises: ToleranceNotReached if the iteration does not converge.
        """
        # Lt^T = D^(s-1) W D^-s is the operator of sigma' = 1 - sigma.
        sigma = 1 - self.sigma if transposed else self.sigma
        degrees = self.diagonal()
        isolated = degrees <= 0
        inward = np.where(isolated, 1.0, degree_power(degrees, sigma - 0.5))[:, None]
        to_own = np.where(isolated, 1.0, degree_power(degrees, 0.5 - self.sigma))[:, None]

        def apply_symmetric(block: FloatArray) -> FloatArray:
            return block - alpha * self.apply(block * to_own) / to_own

        columns = signal.reshape(len(signal), -1)
        solution = solve_symmetric(apply_symmetric, columns * inward) / inward
        return solution.reshape(signal.shape)
