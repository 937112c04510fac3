"""The formulas behind Lemmas 1 to 3 of the paper."""

import math
from collections.abc import Sequence

import numpy as np

from ml.arrays import FloatArray, SparseMatrix
from ml.graph.graph import members_of_islands
from ml.graph.laplacian import check_exponents, degree_power, degrees_of, laplacian_of
from ml.levy.dense import fractional_laplacian


def pairwise_objective(
    functions: FloatArray,
    known: FloatArray,
    adjacency: SparseMatrix,
    *,
    alpha: float,
    sigma: float,
) -> float:
    """Return what Lemma 1 minimises, edge by edge.

    Equation: Lemma 1, ``sum_ij w_ij |d_i^(s-1) F_i - d_j^(s-1) F_j|^2
        + mu sum_i d_i^(2s-1) |F_i - Y_i|^2`` with ``alpha = 2 / (2 + mu)``; at sigma = 1 and
        1/2 the SL and NL formulations that precede it.
    Shapes: functions (N, K), known (N, K).
    """
    degrees = degrees_of(adjacency)
    scaled = degree_power(degrees, sigma - 1)[:, None] * functions
    entries = adjacency.tocoo()
    steps = ((scaled[entries.row] - scaled[entries.col]) ** 2).sum(axis=1)
    return float(entries.data @ steps) + _misfit(functions, known, degrees, alpha, sigma)


def spectral_objective(
    functions: FloatArray,
    known: FloatArray,
    adjacency: SparseMatrix,
    *,
    alpha: float,
    sigma: float,
    gamma: float = 1.0,
) -> float:
    """Return what the classification functions minimise, summed over classes.

    Equation: Eq. (eq2), and for gamma < 1 Eq. (fractional_closed_form),
        ``2 F^T D_g^(s-1) L^g D_g^(s-1) F + mu (F - Y)^T D_g^(2s-1) (F - Y)``.
    Shapes: functions (N, K), known (N, K).
    Raises: InvalidHyperparameter if gamma or sigma is outside its interval.
    """
    check_exponents(gamma, sigma)
    power = fractional_laplacian(adjacency, gamma)
    degrees = np.diagonal(power)
    scaled = degree_power(degrees, sigma - 1)[:, None] * functions
    roughness = 2 * float(np.sum(scaled * (power @ scaled)))
    return roughness + _misfit(functions, known, degrees, alpha, sigma)


def _misfit(
    functions: FloatArray, known: FloatArray, degrees: FloatArray, alpha: float, sigma: float
) -> float:
    mu = 2 / alpha - 2
    squares = ((functions - known) ** 2).sum(axis=1)
    return mu * float(degree_power(degrees, 2 * sigma - 1) @ squares)


def spectral_gaps(adjacency: SparseMatrix, gamma: float = 1.0) -> FloatArray:
    """Return the spectral gap of a Lévy flight on each island; its inverse is the relaxation time.

    Equation: proof of Lemma 2, ``min(lambda_2^g, 2 - lambda_n^g)`` with the eigenvalues of
        the normalized Laplacian ``D^-1/2 L D^-1/2``.
    Deviation: the flight of the lemma raises the *normalized* Laplacian to the power; the
        network raises ``L`` itself (Sec. III-A).
    Cost: O(N^3) time.
    Shapes: (islands,) in the order of ``islands_of``; nan for an isolated node.
    Raises: InvalidHyperparameter if ``gamma`` is outside (0, 1].
    """
    check_exponents(gamma, sigma=0.5)
    scale = degree_power(degrees_of(adjacency), -0.5)
    normalized = scale[:, None] * laplacian_of(adjacency).toarray() * scale
    gaps = []
    for nodes in members_of_islands(adjacency):
        values = np.linalg.eigvalsh(normalized[np.ix_(nodes, nodes)])
        if len(nodes) == 1:
            gaps.append(math.nan)
        else:
            gap = min(values[1] ** gamma, 2 - values[-1] ** gamma)
            gaps.append(max(gap, 0.0))
    return np.asarray(gaps)


def sampling_variance(outputs: FloatArray, sample: int) -> FloatArray:
    """Return the variance of the mean of a simple random sample without replacement.

    Equation: Lemma 3, ``(1 - n / N) S^2 / n``, ``S^2 = sum_i (X_i - mean)^2 / (N - 1)``.
    Shapes: (N, ...) outputs of the population -> (...).
    """
    population = len(outputs)
    spread = np.asarray(outputs.var(axis=0, ddof=1), dtype=np.float64)
    return (1 - sample / population) * spread / sample


def system_reliability(reliabilities: Sequence[float]) -> float:
    """Return the probability that not every component of a parallel system fails.

    Equation: Lemma 3, Eq. (stability), ``1 - prod_i (1 - P_i)``.
    """
    return 1 - math.prod(1 - reliability for reliability in reliabilities)
