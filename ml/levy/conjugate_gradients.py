"""Conjugate gradients for many right-hand sides at once."""

from collections.abc import Callable

import numpy as np

from ml.arrays import FloatArray
from ml.errors import ToleranceNotReached

_RESIDUAL = 1e-14
_MAX_STEPS = 10_000


def solve_symmetric(apply: Callable[[FloatArray], FloatArray], target: FloatArray) -> FloatArray:
    """Solve a symmetric positive definite system that is given only by its products.

    Equation: Hestenes and Stiefel (1952), each column with its own step lengths.
    Deviation: a column stops once its residual is 1e-14 of its right-hand side.
    Shapes: (N, C) -> (N, C).
    Raises: ToleranceNotReached if a column has not converged after 10,000 steps.
    """
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
