"""The Laplacian of a graph and powers of its degrees."""

import numpy as np
import scipy.sparse as sp

from ml.arrays import FloatArray, SparseMatrix
from ml.errors import Fault, InvalidHyperparameter


def laplacian_of(adjacency: SparseMatrix) -> SparseMatrix:
    """Return the standard Laplacian.

    Equation: Sec. III-A, ``L = D - W`` with ``d_ii = sum_j w_ij``.
    Shapes: (N, N) symmetric sparse -> (N, N) symmetric sparse.
    """
    return sp.csr_array(sp.diags_array(degrees_of(adjacency)) - adjacency)


def degrees_of(adjacency: SparseMatrix) -> FloatArray:
    """Return ``d_ii = sum_j w_ij`` of Sec. III-A, (N,)."""
    return np.asarray(adjacency.sum(axis=1), dtype=np.float64)


def degree_power(degrees: FloatArray, exponent: float) -> FloatArray:
    """Raise degrees to a power; zero degrees of isolated nodes stay zero.

    Equation: ``D_g^-s`` and ``D_g^(s-1)`` of Sec. III-B.
    Deviation: ``0 ** exponent`` is zero for every exponent, so that the row and the column
        of an isolated node vanish instead of becoming infinite.
    """
    positive = degrees > 0
    return np.power(degrees, exponent, out=np.zeros_like(degrees), where=positive)


def check_exponents(gamma: float, sigma: float) -> None:
    """Refuse exponents outside ``0 < gamma <= 1`` and ``0 <= sigma <= 1``.

    Raises: InvalidHyperparameter naming each of the two that is outside.
    """
    faults = []
    if not 0 < gamma <= 1:
        faults.append(Fault("gamma", f"{gamma} is outside (0, 1]"))
    if not 0 <= sigma <= 1:
        faults.append(Fault("sigma", f"{sigma} is outside [0, 1]"))
    if faults:
        raise InvalidHyperparameter(faults)
