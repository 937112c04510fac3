import numpy as np
import pytest

from ml.errors import ToleranceNotReached
from ml.levy.conjugate_gradients import solve_symmetric
from tests.ml.grids import random_signal


def test_the_solution_is_that_of_a_direct_solve() -> None:
    half = random_signal(12, 12)
    matrix = half @ half.T + np.eye(12)
    target = random_signal(12, 3, seed=1)
    solution = solve_symmetric(lambda block: matrix @ block, target)
    np.testing.assert_allclose(solution, np.linalg.solve(matrix, target), atol=1e-10)


def test_a_column_of_zeros_needs_no_step() -> None:
    target = np.stack([np.ones(4), np.zeros(4)], axis=1)
    solution = solve_symmetric(lambda block: 2 * block, target)
    np.testing.assert_array_equal(solution, target / 2)


def test_a_system_that_does_not_converge_is_reported() -> None:
    scales = np.logspace(-30, 0, 60)[:, None]
    with pytest.raises(ToleranceNotReached, match="did not converge"):
        solve_symmetric(lambda block: scales * block, np.ones((60, 1)))
