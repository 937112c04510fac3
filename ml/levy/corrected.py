"""The Lévy operator of a censored graph beside that of the whole one."""

import numpy as np

from ml.arrays import FloatArray
from ml.levy.interface import LevyOperator
from ml.levy.laplacian import degree_power
from ml.levy.low_rank import PowerCorrection


class CorrectedLevyOperator:
    """The walk matrix of a censored graph, as that of the whole graph and a few rows.

    Equation: ``Lt_c = I - D_c^-s L_c^g D_c^(s-1)``, ``L_c^g = L^g + rows^T diag(signs) rows``
        and ``L^g = D^s (I - Lt) D^(1-s)``. The four scalings are kept as vectors:
        ``Lt_c = kept - left (rising (I - Lt) falling + rows^T diag(signs) rows) right``.
    Cost: that of the whole operator to apply, and O(N R C) for a correction of rank R.
    Shapes: kept, left, rising, falling, right (N,), rows (R, N), signs (R,).
    """

    def __init__(self, whole: LevyOperator, correction: PowerCorrection) -> None:
        self.gamma = whole.gamma
        self.sigma = whole.sigma
        self.whole = whole
        self.rows = correction.rows
        self.signs = correction.signs
        self._degrees = correction.degrees
        self.kept = (self._degrees > 0).astype(np.float64)
        self.left = degree_power(self._degrees, -self.sigma)
        self.right = degree_power(self._degrees, self.sigma - 1)
        self.rising = degree_power(whole.diagonal(), self.sigma)
        self.falling = degree_power(whole.diagonal(), 1 - self.sigma)

    @property
    def node_count(self) -> int:
        """How many nodes the operator acts on."""
        return len(self._degrees)

    def apply(self, signal: FloatArray) -> FloatArray:
        """Return ``Lt @ signal``. Shapes: (N, C) -> (N, C)."""
        columns = np.reshape(signal, (len(signal), -1))
        moved = self.right[:, None] * columns
        fallen = self.falling[:, None] * moved
        power = self.rising[:, None] * (fallen - self.whole.apply(fallen)) + self._correct(moved)
        walked = self.kept[:, None] * columns - self.left[:, None] * power
        return walked.reshape(np.shape(signal))

    def apply_transposed(self, signal: FloatArray) -> FloatArray:
        """Return ``Lt.T @ signal``. Shapes: (N, C) -> (N, C)."""
        columns = np.reshape(signal, (len(signal), -1))
        moved = self.left[:, None] * columns
        risen = self.rising[:, None] * moved
        power = self.falling[:, None] * (risen - self.whole.apply_transposed(risen))
        walked = self.kept[:, None] * columns - self.right[:, None] * (power + self._correct(moved))
        return walked.reshape(np.shape(signal))

    def diagonal(self) -> FloatArray:
        """Return the fractional degrees ``diag(L_c^g)``, (N,)."""
        return self._degrees

    def _correct(self, signal: FloatArray) -> FloatArray:
        return np.asarray(self.rows.T @ (self.signs[:, None] * (self.rows @ signal)))
