"""Powers of a Laplacian by sinc quadrature: a slow, simple reference for the fast solver."""

import math

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spl

from ml.arrays import FloatArray, SparseMatrix
from ml.graph.graph import islands_of
from ml.graph.laplacian import degrees_of, laplacian_of


def apply_power(
    adjacency: SparseMatrix, gamma: float, signal: FloatArray, lowest: float, digits: float = 11
) -> FloatArray:
    """Return ``L^g signal`` to about ``digits`` digits, for checking other computations.

    Equation: ``lambda^g = sin(pi g) / pi  int e^(g y) lambda / (e^y + lambda) dy`` by the
        trapezoidal rule with step ``2 pi^2 / ln 10^digits``; both tails in closed form.
    Cost: about 70 sparse LU factorisations.
    Shapes: (N, N) symmetric sparse, (N, C) -> (N, C); ``0 < gamma < 1``; ``lowest`` is any
        number below the smallest positive eigenvalue.
    """
    laplacian = laplacian_of(adjacency)
    highest = 2 * float(degrees_of(adjacency).max())
    margin = digits * math.log(10)
    step = 2 * math.pi**2 / margin
    first = math.floor((math.log(lowest) - margin) / step)
    last = math.ceil((math.log(highest) + margin) / step)
    centred = _without_means(adjacency, signal)
    total = np.zeros_like(centred)
    for point in range(first, last + 1):
        shift = math.exp(point * step)
        if shift < highest:
            part = centred - shift * _solve(laplacian, shift, centred)
        else:  # the same number, without a difference of two that nearly agree
            part = _solve(laplacian, shift, np.asarray(laplacian @ centred))
        total += shift**gamma * part
    # Left of the sum lambda / (e^y + lambda) is one, right of it lambda e^-y.
    total += math.exp(gamma * (first - 1) * step) / -math.expm1(-gamma * step) * centred
    beyond = math.exp((gamma - 1) * (last + 1) * step) / -math.expm1((gamma - 1) * step)
    total += beyond * np.asarray(laplacian @ centred)
    return np.asarray(step * math.sin(math.pi * gamma) / math.pi * total)


def _solve(laplacian: SparseMatrix, shift: float, signal: FloatArray) -> FloatArray:
    system = sp.csc_array(laplacian + shift * sp.eye_array(laplacian.shape[0]))
    factor = spl.splu(
        system,
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0,
        options={"SymmetricMode": True},
    )
    return np.asarray(factor.solve(signal), dtype=np.float64)


def _without_means(adjacency: SparseMatrix, signal: FloatArray) -> FloatArray:
    islands = islands_of(adjacency)
    members = sp.csr_array(
        (np.ones(len(islands)), (islands, np.arange(len(islands)))),
        shape=(islands.max() + 1, len(islands)),
    )
    means = (members @ signal) / members.sum(axis=1)[:, None]
    return np.asarray(signal - means[islands])
