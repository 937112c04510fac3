"""Edge betweenness, exact and from sampled pivots, against igraph."""

import igraph
import numpy as np
import pytest

from ml.arrays import FloatArray
from ml.drop_edge.betweenness import measure_betweenness
from ml.graph.graph import Graph
from tests.ml.grids import archipelago, complete, grid_like, ieee118, make_graph, path, ring, star

GRAPHS = {
    "islands": archipelago(),
    "path": path(30),
    "star": star(20),
    "ring": ring(11),
    "complete": complete(7),
    "grid": grid_like(400, 2),
    "ieee118": ieee118(),
    "isolated": make_graph([(0, 1)], 4),
    "lollipop": make_graph([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (4, 6)]),
}


def oracle(graph: Graph) -> FloatArray:
    network = igraph.Graph(n=graph.node_count, edges=graph.pairs)
    return np.array(network.edge_betweenness(directed=False))


@pytest.mark.parametrize("name", GRAPHS)
def test_exact_betweenness_agrees_with_igraph(name: str) -> None:
    found = measure_betweenness(GRAPHS[name])
    np.testing.assert_allclose(found.scores, oracle(GRAPHS[name]), rtol=1e-12)
    assert found.relative_error == 0


def test_a_tree_needs_no_search() -> None:
    found = measure_betweenness(star(50), affordable=0)
    np.testing.assert_array_equal(found.scores, np.full(50, 50))


def test_a_graph_without_edges_has_no_scores() -> None:
    graph = Graph(3, np.zeros((0, 2), dtype=np.int64), np.zeros(0))
    assert len(measure_betweenness(graph).scores) == 0


def test_sampled_pivots_state_the_error_they_make() -> None:
    graph = grid_like(1500, 4)
    exact = oracle(graph)
    found = measure_betweenness(graph, affordable=0, sampled=2_000_000)
    top = np.argsort(-exact)[: len(exact) // 10]
    error = np.sqrt(np.mean((found.scores[top] / exact[top] - 1) ** 2))
    assert found.pivots > 300
    assert error < 2 * found.relative_error < 0.3


def test_more_pivots_make_the_error_smaller() -> None:
    graph = grid_like(1500, 4)
    errors = [
        measure_betweenness(graph, affordable=0, sampled=steps).relative_error
        for steps in (500_000, 8_000_000)
    ]
    assert errors[1] < errors[0] / 2


def test_the_estimate_is_right_on_average() -> None:
    graph = grid_like(150, 1)
    estimates = [
        measure_betweenness(graph, affordable=0, sampled=40_000, seed=seed).scores
        for seed in range(60)
    ]
    exact = oracle(graph)
    top = np.argsort(-exact)[:20]
    np.testing.assert_allclose(np.mean(estimates, axis=0)[top], exact[top], rtol=0.06)


def test_results_do_not_depend_on_the_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = []
    for threads in ("1", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        scores.append(measure_betweenness(grid_like(400, 2)).scores)
    np.testing.assert_array_equal(scores[0], scores[1])
