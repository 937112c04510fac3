"""The Lévy operator of a censored graph as a low-rank correction of the whole graph's."""

import numpy as np

from ml.arrays import FloatArray
from ml.graph.laplacian import degree_power
from ml.levy.dense import DenseLevyOperator
from ml.levy.interface import LevyOperator
from ml.levy.solver.low_rank import PowerCorrection
from ml.levy.solver.powers import FactoredPower


class CorrectedLevyOperator(LevyOperator):
    """The walk matrix of a censored graph: sparse solves of the whole graph and a low-rank term.

    Equation: ``Lt_c = I - D_c^-s L_c^g D_c^(s-1)``, ``L_c^g = L^g + rows^T diag(signs) rows``.
    Deviation: rows and columns of isolated nodes are zero.
    Cost: that of the whole power to apply, and O(N R C) for a correction of rank R.
    Shapes: connected, left, right (N,): one, ``D_c^-s`` and ``D_c^(s-1)``, zero for isolated nodes;
        rows (R, N), signs (R,).
    """

    def __init__(
        self,
        power: FactoredPower,
        correction: PowerCorrection,
        sigma: float,
        whole: DenseLevyOperator | None = None,
    ) -> None:
        """Store the parts; ``whole`` is the full matrix of the whole graph, if there is one."""
        self.gamma = power.gamma
        self.sigma = sigma
        self.whole = whole
        self._power = power
        self._degrees = correction.degrees
        self.rows = correction.rows
        self.signs = correction.signs
        self.connected = (self._degrees > 0).astype(np.float64)
        self.left = degree_power(self._degrees, -sigma)
        self.right = degree_power(self._degrees, sigma - 1)

    @property
    def node_count(self) -> int:
        """Number of nodes that the operator acts on."""
        return len(self._degrees)

    def apply(self, signal: FloatArray) -> FloatArray:
        """Return ``Lt @ signal``. Shapes: (N, C) -> (N, C)."""
        return self._walk(signal, self.right, self.left)

    def apply_transposed(self, signal: FloatArray) -> FloatArray:
        """Return ``Lt.T @ signal``. Shapes: (N, C) -> (N, C)."""
        return self._walk(signal, self.left, self.right)

    def diagonal(self) -> FloatArray:
        """Return the fractional degrees ``diag(L_c^g)``, (N,)."""
        return self._degrees

    def _walk(self, signal: FloatArray, inward: FloatArray, outward: FloatArray) -> FloatArray:
        columns = np.ascontiguousarray(signal, dtype=np.float64).reshape(len(signal), -1)
        inner = self.rows @ (inward[:, None] * columns)
        corrected = outward[:, None] * (self.rows.T @ (self.signs[:, None] * inner))
        walked = self.connected[:, None] * columns - corrected
        walked -= self._power.apply(columns, inward, outward)
        return walked.reshape(np.shape(signal))
