"""The FGS filter: the Taylor recurrence of the paper and the exact inverse."""

import math
from collections.abc import Callable

import numpy as np

from ml.arrays import FloatArray
from ml.config.settings import FilterMethod
from ml.errors import Fault, InvalidHyperparameter, ToleranceNotReached
from ml.graph.laplacian import degree_power
from ml.levy.dense import DenseLevyOperator
from ml.levy.interface import LevyOperator

_RESIDUAL = 1e-14
_MAX_STEPS = 10_000

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
    if isinstance(operator, DenseLevyOperator):
        return _solve(operator.matrix, signal, alpha)
    return _solve_iteratively(operator, signal, alpha, operator.sigma)


def filter_transposed(
    operator: LevyOperator,
    signal: FloatArray,
    alpha: float,
    order: int | None = None,
    method: FilterMethod = "taylor",
) -> FloatArray:
    """Apply the transposed filter: what a gradient meets on its way back.

    Equation: the transpose of Eq. (filter_expansion), ``Lt^T`` in the place of ``Lt``.
    Cost, Shapes, Raises: as ``filter_signal``.
    """
    check_filter(alpha, order)
    if method == "taylor":
        return _expand(operator.apply_transposed, signal, alpha, order)
    if isinstance(operator, DenseLevyOperator):
        return _solve(operator.matrix.T, signal, alpha)
    # Lt^T = D^(s-1) W D^-s is the operator of sigma' = 1 - sigma.
    return _solve_iteratively(operator, signal, alpha, 1 - operator.sigma)


def filter_matrix(
    matrix: FloatArray, alpha: float, order: int | None = None, method: FilterMethod = "taylor"
) -> FloatArray:
    """Return the whole filter of a stored operator.

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
    return _solve(matrix, np.eye(len(matrix)), alpha)


def check_filter(alpha: float, order: int | None) -> None:
    """Refuse ``alpha`` outside (0, 1) and negative orders.

    Raises: InvalidHyperparameter naming each of the two that is wrong.
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


def _solve(matrix: FloatArray, signal: FloatArray, alpha: float) -> FloatArray:
    system = np.eye(len(matrix)) - alpha * matrix
    return (1 - alpha) * np.asarray(np.linalg.solve(system, signal), dtype=np.float64)


def _solve_iteratively(
    operator: LevyOperator, signal: FloatArray, alpha: float, sigma: float
) -> FloatArray:
    """Solve the similar symmetric system ``I - a D^-1/2 W D^-1/2`` by conjugate gradients.

    Its spectrum lies in ``[1 - a, 1 + a]``.
    """
    degrees = operator.diagonal()
    isolated = degrees <= 0
    inward = np.where(isolated, 1.0, degree_power(degrees, sigma - 0.5))[:, None]
    to_operator = np.where(isolated, 1.0, degree_power(degrees, 0.5 - operator.sigma))[:, None]

    def symmetric(block: FloatArray) -> FloatArray:
        return block - alpha * operator.apply(block * to_operator) / to_operator

    columns = signal.reshape(len(signal), -1)
    solution = _conjugate_gradients(symmetric, columns * inward) / inward
    return (1 - alpha) * solution.reshape(signal.shape)


def _conjugate_gradients(apply: Apply, target: FloatArray) -> FloatArray:
    solution = np.zeros_like(target)
    residual = target.copy()
    direction = residual.copy()
    squared = np.einsum("nc,nc->c", residual, residual)
    goal = squared * _RESIDUAL**2
    for _ in range(_MAX_STEPS):
        open_columns = squared > goal
        if not open_columns.any():
            return solution
        image = apply(direction)
        curvature = np.einsum("nc,nc->c", direction, image)
        step = np.divide(squared, curvature, out=np.zeros_like(squared), where=open_columns)
        solution += step * direction
        residual -= step * image
        before, squared = squared, np.einsum("nc,nc->c", residual, residual)
        gain = np.divide(squared, before, out=np.zeros_like(squared), where=open_columns)
        direction = residual + gain * direction
    raise ToleranceNotReached(f"the filter did not converge in {_MAX_STEPS} steps")
