import numpy as np
import pytest
import scipy.sparse as sp

from ml.explain.symmetric_solver import SymmetricSolver
from ml.graph.laplacian import laplacian_of
from ml.training.selection.propagation import Precision
from tests.ml.grids import archipelago, grid_like, path


@pytest.mark.parametrize("alpha", [0.5, 0.99, 0.9999])
def test_both_ways_give_the_solution(alpha: float) -> None:
    for graph in (grid_like(300, seed=1), archipelago()):
        matrix = Precision(graph.adjacency, alpha).matrix
        unit = np.asarray(np.arange(graph.node_count) == 3, dtype=np.float64)
        expected = np.linalg.solve(matrix.toarray(), unit)
        for limit in (0, graph.node_count):
            found = SymmetricSolver(matrix, limit).solve(unit)
            np.testing.assert_allclose(found, expected, atol=1e-9 * expected.max())


def test_a_system_that_does_not_converge_is_factorised() -> None:
    count = 9000  # along a line each step of the iteration reaches one node further
    matrix = sp.csr_array(laplacian_of(path(count).adjacency) + 1e-9 * sp.eye_array(count))
    unit = np.asarray(np.arange(count) == 0, dtype=np.float64)
    factorised = SymmetricSolver(matrix, count).solve(unit)
    np.testing.assert_array_equal(SymmetricSolver(matrix, 0).solve(unit), factorised)


def test_no_equation_has_no_solution() -> None:
    assert len(SymmetricSolver(sp.csr_array((0, 0))).solve(np.zeros(0))) == 0
