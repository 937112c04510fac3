"""Bounds on the spectrum of a Laplacian."""

import numpy as np
import pytest
from hypothesis import given, settings

from ml.errors import ToleranceNotReached
from ml.graph.graph import Graph
from ml.graph.laplacian import degrees_of, laplacian_of
from ml.levy.solver.factors import WeightedLaplacian
from ml.levy.solver.spectrum import lower_bound, upper_bound
from tests.ml.grids import archipelago, connected_graphs, grid_like, path
from tests.ml.levy.solver.test_factors import laplacian_in_order


def scaled(graph: Graph, scale: float) -> WeightedLaplacian:
    laplacian = laplacian_in_order(graph)
    weights, degrees = laplacian.weights / scale, laplacian.degrees / scale
    return WeightedLaplacian(laplacian.elimination, weights, degrees)


@settings(max_examples=30, deadline=None)
@given(connected_graphs())
def test_the_spectrum_lies_between_its_bounds(graph: Graph) -> None:
    values = np.linalg.eigvalsh(laplacian_of(graph.adjacency).toarray())
    highest = upper_bound(graph.pairs, degrees_of(graph.adjacency))
    lowest = lower_bound(scaled(graph, highest), 1) * highest
    assert values[-1] <= highest * (1 + 1e-12)
    assert lowest <= values[1] * (1 + 1e-9)


@pytest.mark.parametrize("graph", [archipelago(), grid_like(300, 1), path(500)])
def test_the_lower_bound_is_within_a_factor_of_two(graph: Graph) -> None:
    values = np.linalg.eigvalsh(laplacian_of(graph.adjacency).toarray())
    islands = int(graph.islands.max()) + 1
    highest = upper_bound(graph.pairs, degrees_of(graph.adjacency))
    lowest = lower_bound(scaled(graph, highest), islands) * highest
    assert lowest <= values[islands] <= 2 * lowest


def test_an_eigenvalue_too_close_to_zero_is_reported() -> None:
    graph = Graph(3, np.array([[0, 1], [1, 2]]), np.array([1.0, 1e-17]))
    with pytest.raises(ToleranceNotReached, match="cannot be distinguished from zero"):
        lower_bound(scaled(graph, 2.0), 1)
