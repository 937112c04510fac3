"""Compiled kernels against plain numpy and scipy."""

import numpy as np

from ml.graph.graph import censor_pairs, islands_of
from ml.graph.laplacian import degrees_of, laplacian_of
from ml.levy.solver.kernels import label_islands, multiply_laplacian
from tests.ml.grids import archipelago, grid_like, random_signal


def test_islands_have_the_numbers_that_scipy_gives_them() -> None:
    graph = archipelago()
    weights = graph.adjacency.toarray()[tuple(graph.pairs.T)]
    for absent in ([], [0, 3], [1, 6, 12]):
        changed = weights.copy()
        changed[absent] = 0
        expected = islands_of(censor_pairs(graph.adjacency, graph.pairs[absent]))
        islands = label_islands(graph.pairs, changed, graph.node_count)
        np.testing.assert_array_equal(islands, expected)


def test_the_laplacian_product_is_that_of_the_sparse_matrix() -> None:
    graph = grid_like(40, 2)
    weights = graph.adjacency.toarray()[tuple(graph.pairs.T)]
    signal = random_signal(40)
    product = multiply_laplacian(graph.pairs, weights, degrees_of(graph.adjacency), signal)
    np.testing.assert_allclose(
        product, laplacian_of(graph.adjacency).toarray() @ signal, atol=1e-12
    )
