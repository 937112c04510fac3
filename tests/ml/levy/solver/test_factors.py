"""Shifted Laplacians factored together, against dense inverses."""

import numpy as np
import pytest

from ml.arrays import FloatArray
from ml.graph.graph import Graph
from ml.graph.laplacian import degrees_of, laplacian_of
from ml.levy.solver.elimination import analyse
from ml.levy.solver.factors import WeightedLaplacian
from ml.levy.solver.ordering import order_nodes
from tests.ml.grids import archipelago, complete, grid_like, path, random_signal, star

GRAPHS = [archipelago(), complete(8), path(30), star(12), grid_like(200, 4)]
SHIFTS = np.array([1e-4, 1e-3, 0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0])
RESIDUES = np.linspace(-2, 3, 10)


def laplacian_in_order(graph: Graph) -> WeightedLaplacian:
    elimination = analyse(order_nodes(graph.adjacency), graph.pairs)
    weights = np.asarray(graph.adjacency[graph.pairs[:, 0], graph.pairs[:, 1]])
    return WeightedLaplacian(elimination, weights, degrees_of(graph.adjacency)[elimination.order])


def inverse_sum(graph: Graph, laplacian: WeightedLaplacian) -> FloatArray:
    """sum_j r_j (L + t_j I)^-1 by dense inverses, in elimination order."""
    dense = laplacian_of(graph.adjacency).toarray()
    identity = np.eye(graph.node_count)
    parts = [r * np.linalg.inv(dense + t * identity) for r, t in zip(RESIDUES, SHIFTS, strict=True)]
    order = laplacian.elimination.order
    return np.asarray(np.sum(parts, axis=0)[np.ix_(order, order)])


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: str(graph.node_count))
def test_solves_and_diagonals_equal_those_of_dense_inverses(graph: Graph) -> None:
    laplacian = laplacian_in_order(graph)
    expected = inverse_sum(graph, laplacian)
    factors = laplacian.factor(SHIFTS, RESIDUES, 1e-3)
    signal = random_signal(graph.node_count, 19)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(factors.solve(signal), expected @ signal, atol=1e-10 * scale)
    np.testing.assert_allclose(factors.diagonal, np.diagonal(expected), atol=1e-10 * scale)


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: str(graph.node_count))
def test_eigenvalues_below_a_bound_are_counted(graph: Graph) -> None:
    values = np.linalg.eigvalsh(laplacian_of(graph.adjacency).toarray())
    bounds = np.array([1e-6, 1e-3, 0.0123, 0.1234, 0.5678, 1.2345, 3.456, 7.89])
    counts = laplacian_in_order(graph).count_below(bounds)
    np.testing.assert_array_equal(counts, (values[:, None] < bounds).sum(axis=0))


def test_one_factorisation_also_counts_below_a_bound() -> None:
    graph = path(50)
    value = np.linalg.eigvalsh(laplacian_of(graph.adjacency).toarray())[1]
    laplacian = laplacian_in_order(graph)
    assert laplacian.factor(SHIFTS, RESIDUES, 0.99 * value).below == 1
    assert laplacian.factor(SHIFTS, RESIDUES, 1.01 * value).below == 2


def test_each_system_can_be_solved_alone() -> None:
    graph = grid_like(200, 4)
    laplacian = laplacian_in_order(graph)
    factors = laplacian.factor(SHIFTS, RESIDUES, 1e-3)
    signal = random_signal(200, 3)
    together = np.einsum("p,pnc->nc", RESIDUES, factors.solve_each(signal)[:-1])
    np.testing.assert_allclose(together, factors.solve(signal), rtol=1e-9, atol=1e-9)
