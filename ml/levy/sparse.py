"""The Lévy operator by sparse factors; its cost is nearly linear in the size of a power grid."""

import numpy as np

from ml.arrays import FloatArray
from ml.graph.laplacian import check_exponents, degree_power
from ml.levy.interface import LevyOperator
from ml.levy.solver.powers import FactoredPower


class SparseLevyOperator(LevyOperator):
    """The walk matrix of a Lévy flight as a sum of sparse solves, never stored.

    Equation: Sec. III-B, ``Lt = I - D_g^-s L^g D_g^(s-1)``.
    Deviation: rows and columns of isolated nodes are zero.
    Cost: O(P entries C) to apply, with P poles and some five entries per bus.
    Raises: InvalidHyperparameter if ``sigma`` is outside [0, 1].
    """

    def __init__(self, power: FactoredPower, sigma: float) -> None:
        check_exponents(power.gamma, sigma)
        self.gamma = power.gamma
        self.sigma = sigma
        self.power = power
        self._connected = (power.degrees > 0).astype(np.float64)[:, None]
        self._left = degree_power(power.degrees, -sigma)
        self._right = degree_power(power.degrees, sigma - 1)

    @property
    def node_count(self) -> int:
        """Number of nodes that the operator acts on."""
        return len(self._left)

    @property
    def pole_count(self) -> int:
        """Number of shifted systems solved per application."""
        return len(self.power.fractions.shifts)

    def apply(self, signal: FloatArray) -> FloatArray:
        """Return ``Lt @ signal``. Shapes: (N, C) -> (N, C)."""
        return self._walk(signal, self._right, self._left)

    def apply_transposed(self, signal: FloatArray) -> FloatArray:
        """Return ``Lt.T @ signal``. Shapes: (N, C) -> (N, C)."""
        return self._walk(signal, self._left, self._right)

    def diagonal(self) -> FloatArray:
        """Return the fractional degrees ``diag(L^g)``, (N,)."""
        return self.power.degrees

    def _walk(self, signal: FloatArray, inward: FloatArray, outward: FloatArray) -> FloatArray:
        columns = np.ascontiguousarray(signal, dtype=np.float64).reshape(len(signal), -1)
        walked = columns * self._connected - self.power.apply(columns, inward, outward)
        return walked.reshape(np.shape(signal))
