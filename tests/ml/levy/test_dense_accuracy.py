"""The full matrix against ways that share nothing with it."""

import math

import mpmath
import numpy as np
import pytest

from ml.arrays import FloatArray
from ml.graph.graph import Graph
from ml.graph.laplacian import laplacian_of
from ml.levy.dense import DenseLevyOperator, fractional_laplacian
from tests.ml.grids import archipelago, grid_like, ieee118


def naive_power(graph: Graph, gamma: float) -> FloatArray:
    """L^g by one eigendecomposition of everything, null space cut at 1e-10."""
    values, vectors = np.linalg.eigh(laplacian_of(graph.adjacency).toarray())
    powers = np.array([value**gamma if value > 1e-10 else 0.0 for value in values])
    power: FloatArray = vectors @ np.diag(powers) @ vectors.T
    return power


def quadrature_power(graph: Graph, gamma: float) -> FloatArray:
    """A^g = sin(pi g)/pi int e^(g y) A (e^y + A)^-1 dy: no eigenvalue is ever computed.

    A = L + P lifts the constants P of each island to the eigenvalue one, so A^g = L^g + P.
    """
    same_island = graph.islands[:, None] == graph.islands
    constants = same_island / same_island.sum(axis=1)
    lifted = laplacian_of(graph.adjacency).toarray() + constants
    step = 0.2
    total = np.zeros_like(lifted)
    for y in np.arange(-100, 100, step):
        shifted = lifted + math.exp(y) * np.eye(len(lifted))
        total += step * math.exp(gamma * y) * np.linalg.solve(shifted, lifted)
    return np.asarray(math.sin(math.pi * gamma) / math.pi * total - constants)


def precise_walk(graph: Graph, gamma: float, sigma: float) -> FloatArray:
    """Lt with 60 digits throughout."""
    with mpmath.workdps(60):
        count = graph.node_count
        laplacian = mpmath.matrix(count)
        for (i, j), weight in zip(graph.edges.tolist(), graph.weights.tolist(), strict=True):
            laplacian[i, j] -= weight
            laplacian[j, i] -= weight
            laplacian[i, i] += weight
            laplacian[j, j] += weight
        values, vectors = mpmath.eigsy(laplacian)
        powers = [mpmath.mpf(0)] + [value ** mpmath.mpf(gamma) for value in list(values)[1:]]
        power = vectors * mpmath.diag(powers) * vectors.T
        walk = np.zeros((count, count))
        for i in range(count):
            for j in range(count):
                if i != j:
                    scale = power[i, i] ** -mpmath.mpf(sigma) * power[j, j] ** mpmath.mpf(sigma - 1)
                    walk[i, j] = float(-power[i, j] * scale)
        return walk


@pytest.mark.parametrize("gamma", [0.001, 0.01, 0.1, 0.5, 0.9])
def test_the_power_agrees_with_a_plain_eigendecomposition(gamma: float) -> None:
    for graph in (archipelago(), grid_like(150, 4)):
        power = fractional_laplacian(graph.adjacency, gamma)
        np.testing.assert_allclose(power, naive_power(graph, gamma), atol=1e-10)


@pytest.mark.parametrize("gamma", [0.3, 0.5, 0.7])
def test_the_power_agrees_with_an_integral_that_knows_no_eigenvalues(gamma: float) -> None:
    graph = archipelago()
    power = fractional_laplacian(graph.adjacency, gamma)
    np.testing.assert_allclose(power, quadrature_power(graph, gamma), atol=1e-10)


@pytest.mark.parametrize("gamma", [0.001, 0.1, 0.7])
@pytest.mark.parametrize("sigma", [0.0, 0.5, 1.0])
def test_the_operator_agrees_with_sixty_digits_when_weights_span_decades(
    gamma: float, sigma: float
) -> None:
    graph = grid_like(12, 9, spread=3.0)
    assert graph.weights.max() / graph.weights.min() > 1e4
    matrix = DenseLevyOperator(graph.adjacency, gamma, sigma).matrix
    np.testing.assert_allclose(matrix, precise_walk(graph, gamma, sigma), rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("gamma", [0.001, 0.1, 0.5])
@pytest.mark.parametrize("sigma", [0.0, 0.5, 1.0])
def test_the_operator_of_ieee_118_agrees_with_plain_eigh(gamma: float, sigma: float) -> None:
    graph = ieee118()
    power = naive_power(graph, gamma)
    degrees = np.diagonal(power)
    weights = np.diag(degrees) - power
    expected = np.diag(degrees**-sigma) @ weights @ np.diag(degrees ** (sigma - 1))
    matrix = DenseLevyOperator(graph.adjacency, gamma, sigma).matrix
    error = np.linalg.norm(matrix - expected) / np.linalg.norm(expected)
    assert error < 1e-9
