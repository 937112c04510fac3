"""The choice between a full matrix and sparse factors."""

import numpy as np

from ml.graph.graph import Graph
from ml.levy.choose import choose_operator
from ml.levy.limits import MATRIX_NODES, SPECTRUM_NODES
from tests.ml.grids import grid_like, path, tangle


def test_a_small_graph_gets_a_full_matrix() -> None:
    choice = choose_operator(path(SPECTRUM_NODES).adjacency, 0.1, "auto")
    assert choice.kind == "corrected"
    assert "600 nodes" in choice.reason


def test_a_grid_of_thousands_gets_a_full_matrix_that_is_corrected() -> None:
    choice = choose_operator(grid_like(2000, 0).adjacency, 0.1, "auto")
    assert choice.kind == "corrected"
    assert "factor entries per node" in choice.reason


def test_a_large_grid_gets_sparse_factors() -> None:
    choice = choose_operator(grid_like(MATRIX_NODES + 1, 0).adjacency, 0.1, "auto")
    assert choice.kind == "sparse"
    assert "smaller and faster" in choice.reason


def test_a_large_graph_that_fills_in_gets_a_full_matrix() -> None:
    edges = np.random.default_rng(0).integers(1000, size=(8000, 2))
    edges = edges[edges[:, 0] != edges[:, 1]]
    graph = Graph(1000, edges, np.ones(len(edges)))
    choice = choose_operator(graph.adjacency, 0.1, "auto")
    assert choice.kind == "dense"
    assert "larger than the matrix" in choice.reason


def test_a_core_is_named_in_the_reason() -> None:
    choice = choose_operator(tangle(900, 5000).adjacency, 0.1, "auto")
    assert choice.kind == "sparse"
    assert "around a core of" in choice.reason


def test_the_ordinary_walk_needs_no_factors() -> None:
    assert choose_operator(grid_like(2000, 0).adjacency, 1.0, "auto").kind == "ordinary"
    assert choose_operator(path(5).adjacency, 1.0, "sparse").kind == "ordinary"
    assert choose_operator(path(5).adjacency, 1.0, "auto").kind == "dense"


def test_a_setting_overrides_the_choice() -> None:
    assert choose_operator(grid_like(2000, 0).adjacency, 0.1, "dense").kind == "dense"
    assert choose_operator(path(5).adjacency, 0.1, "sparse").kind == "sparse"
