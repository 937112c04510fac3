"""The FGS filter in numpy: the Taylor recurrence of the paper and the exact inverse."""

import math
from collections.abc import Callable

import numpy as np

from ml.arrays import FloatArray
from ml.config.settings import FilterMethod
from ml.errors import Fault, InvalidHyperparameter
from ml.levy.dense import solve_filter
from ml.levy.interface import LevyOperator

Apply = Callable[[FloatArray], FloatArray]


def default_order(alpha: float) -> int:
    """Return the power at which the paper cuts the series: ``ceil(4 alpha)`` (Sec. III-B)."""
    return math.ceil(4 * alpha)


def filter_signal(
    operator: LevyOperator,
    signal: FloatArray,
    alpha: float,
    order: int | None = None,
    method: FilterMethod = "taylor",
) -> FloatArray:
    """Smooth a signal over the graph.

    Equation: Eq. (filter_expansion), ``(1-a) X'_i`` with ``X'_0 = X`` and
        ``X'_i = X + a Lt X'_(i-1)``; ``exact`` is ``(1-a) (I - a Lt)^-1 X``.
    Deviation: ``order`` counts the powers of ``Lt``, ``ceil(4 a)`` unless given; ``exact``
        is a direct solve where the matrix is stored and conjugate gradients elsewhere.
    Cost: ``order`` applications of the operator.
    Shapes: (N, C) -> (N, C).
    Raises: InvalidHyperparameter if ``alpha`` is outside (0, 1) or ``order`` is negative.
    """
    check_filter(alpha, order)
    if method == "taylor":
        return _expand(operator.apply, signal, alpha, order)
    return (1 - alpha) * operator.solve(signal, alpha)


def filter_transposed(
    operator: LevyOperator,
    signal: FloatArray,
    alpha: float,
    order: int | None = None,
    method: FilterMethod = "taylor",
) -> FloatArray:
    """Apply the transposed filter, which is the gradient of ``filter_signal``.

    Equation: the transpose of Eq. (filter_expansion), ``Lt^T`` in the place of ``Lt``.
    Cost, Shapes, Raises: as ``filter_signal``.
    """
    check_filter(alpha, order)
    if method == "taylor":
        return _expand(operator.apply_transposed, signal, alpha, order)
    return (1 - alpha) * operator.solve(signal, alpha, transposed=True)


def filter_matrix(
    matrix: FloatArray, alpha: float, order: int | None = None, method: FilterMethod = "taylor"
) -> FloatArray:
    """Return the filter of a stored operator as a full matrix.

    Equation: Eq. (Taylor), ``g_FGS = (1-a) sum_(i<=order) (a Lt)^i``; ``exact`` is its limit
        ``(1-a) (I - a Lt)^-1``.
    Cost: about ``order / 2`` products of N x N matrices, none up to order 1; or one inverse.
    Shapes: (N, N) -> (N, N).
    Raises: InvalidHyperparameter as ``filter_signal``.
    """
    check_filter(alpha, order)
    if method == "taylor":
        terms = default_order(alpha) if order is None else order
        return (1 - alpha) * _sum_powers(alpha * matrix, terms)
    return (1 - alpha) * solve_filter(matrix, np.eye(len(matrix)), alpha)


def check_filter(alpha: float, order: int | None) -> None:
    """Refuse ``alpha`` outside (0, 1) and negative orders.

    Raises: InvalidHyperparameter naming each of the two that is invalid.
    """
    faults = []
    if not 0 < alpha < 1:
        faults.append(Fault("alpha", f"{alpha} is outside (0, 1)"))
    if order is not None and order < 0:
        faults.append(Fault("filter_order", f"{order} is negative"))
    if faults:
        raise InvalidHyperparameter(faults)


def _expand(apply: Apply, signal: FloatArray, alpha: float, order: int | None) -> FloatArray:
    total = signal
    for _ in range(default_order(alpha) if order is None else order):
        total = signal + alpha * apply(total)
    return (1 - alpha) * total


def _sum_powers(matrix: FloatArray, order: int) -> FloatArray:
    """Return ``sum_(i<=order) M^i`` by Horner's rule in ``M^2``."""
    identity = np.eye(len(matrix))
    if order == 0:
        return identity
    pair = identity + matrix
    if order == 1:
        return pair
    square = matrix @ matrix
    total = pair if order % 2 else pair + square
    for _ in range((order - 1) // 2):
        total = pair + square @ total
    return total
