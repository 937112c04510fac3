"""What a Lévy operator can do, whatever stores it."""

from typing import Protocol

from ml.arrays import FloatArray


class LevyOperator(Protocol):
    """The walk matrix of a Lévy flight over a graph.

    Equation: Sec. III-B, ``Lt = D_g^-s W_g D_g^(s-1) = I - D_g^-s L^g D_g^(s-1)`` where
        ``D_g = diag(L^g)`` and ``W_g = D_g - L^g``.
    Deviation: an isolated node has ``D_g = 0``; its row and column of ``Lt`` are zero.
    """

    gamma: float
    sigma: float

    @property
    def node_count(self) -> int:
        """How many nodes the operator acts on."""

    def apply(self, signal: FloatArray) -> FloatArray:
        """Return ``Lt @ signal``. Shapes: (N, C) -> (N, C)."""

    def apply_transposed(self, signal: FloatArray) -> FloatArray:
        """Return ``Lt.T @ signal``. Shapes: (N, C) -> (N, C)."""

    def diagonal(self) -> FloatArray:
        """Return the fractional degrees ``diag(L^g)``, (N,)."""
