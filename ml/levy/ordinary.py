"""The operator of gamma = 1, an ordinary random walk, as sparse as the graph."""

import numpy as np
import scipy.sparse as sp

from ml.arrays import FloatArray, SparseMatrix
from ml.graph.laplacian import check_exponents, degree_power, degrees_of
from ml.levy.interface import LevyOperator


class OrdinaryWalkOperator(LevyOperator):
    """The walk matrix of an ordinary random walk, and its transpose, both compressed rows.

    Equation: Sec. III-B with ``gamma = 1``, ``Lt = D^-s W D^(s-1)``.
    Deviation: rows and columns of isolated nodes are zero.
    Cost: O(edges C) to apply.
    Raises: InvalidHyperparameter if ``sigma`` is outside [0, 1].
    """

    gamma = 1.0

    def __init__(self, adjacency: SparseMatrix, sigma: float) -> None:
        check_exponents(self.gamma, sigma)
        self.sigma = sigma
        self._degrees = degrees_of(adjacency)
        left = sp.diags_array(degree_power(self._degrees, -sigma))
        right = sp.diags_array(degree_power(self._degrees, sigma - 1))
        self.matrix = sp.csr_array(left @ adjacency @ right)
        self.transposed = sp.csr_array(self.matrix.T)

    @property
    def node_count(self) -> int:
        """Number of nodes that the operator acts on."""
        return len(self._degrees)

    def apply(self, signal: FloatArray) -> FloatArray:
        """Return ``Lt @ signal``. Shapes: (N, C) -> (N, C)."""
        return np.asarray(self.matrix @ signal)

    def apply_transposed(self, signal: FloatArray) -> FloatArray:
        """Return ``Lt.T @ signal``. Shapes: (N, C) -> (N, C)."""
        return np.asarray(self.transposed @ signal)

    def diagonal(self) -> FloatArray:
        """Return the degrees, (N,)."""
        return self._degrees
