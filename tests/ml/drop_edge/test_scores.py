"""Edge betweenness, k-path centrality and the cache of scores."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from ml.config.settings import EdgeScore
from ml.drop_edge import scores as edge_scores
from ml.drop_edge.dropper import top_edges
from ml.drop_edge.scores import edge_betweenness, score_edges
from ml.graph.graph import Graph
from tests.ml.grids import (
    archipelago,
    complete,
    connected_graphs,
    grid_like,
    ieee118,
    make_graph,
    path,
    ring,
    star,
)

KINDS: list[EdgeScore] = ["betweenness", "k_path", "percolation", "giant_component"]


def as_networkx(graph: Graph) -> "nx.Graph":
    network = nx.Graph()
    network.add_nodes_from(range(graph.node_count))
    network.add_edges_from(graph.pairs.tolist())
    return network


def networkx_betweenness(graph: Graph) -> list[float]:
    found = nx.edge_betweenness_centrality(as_networkx(graph), normalized=False)
    return [found[one, other] for one, other in graph.pairs.tolist()]


# Betweenness


def test_betweenness_of_a_path_counts_the_pairs_on_either_side() -> None:
    np.testing.assert_array_equal(edge_betweenness(path(5)), [4, 6, 6, 4])


def test_betweenness_of_a_star_is_one_pair_for_every_other_node() -> None:
    np.testing.assert_array_equal(edge_betweenness(star(6)), [6] * 6)


def test_betweenness_adds_up_to_the_distances_between_all_pairs() -> None:
    graph = grid_like(40, 8)
    distances = dict(nx.all_pairs_shortest_path_length(as_networkx(graph)))
    total = sum(length for row in distances.values() for length in row.values()) / 2
    assert edge_betweenness(graph).sum() == pytest.approx(total)


@given(graph=connected_graphs())
@settings(max_examples=50, deadline=None)
def test_betweenness_agrees_with_networkx(graph: Graph) -> None:
    np.testing.assert_allclose(edge_betweenness(graph), networkx_betweenness(graph), atol=1e-9)


@pytest.mark.parametrize("graph", [archipelago(), grid_like(200, 2), ring(9), complete(5)])
def test_betweenness_of_islands_and_larger_graphs_agrees_with_networkx(graph: Graph) -> None:
    np.testing.assert_allclose(edge_betweenness(graph), networkx_betweenness(graph), atol=1e-8)


def test_betweenness_of_ieee_118_agrees_with_networkx() -> None:
    graph = ieee118()
    np.testing.assert_allclose(edge_betweenness(graph), networkx_betweenness(graph), atol=1e-8)


def test_directions_weights_and_parallel_circuits_do_not_matter_to_betweenness() -> None:
    edges = np.array([[1, 0], [1, 2], [2, 1], [2, 3], [2, 3]])
    directed = Graph(4, edges, np.array([1.0, 2, 3, 4, 5]), directed=True)
    np.testing.assert_array_equal(edge_betweenness(directed), edge_betweenness(path(4)))


# All of them


@pytest.mark.parametrize("kind", KINDS)
def test_there_is_one_finite_score_for_every_pair(kind: EdgeScore) -> None:
    graph = archipelago()
    scores = score_edges(graph, kind)
    assert scores.shape == (len(graph.pairs),)
    assert np.isfinite(scores).all()
    assert (scores >= 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_graph_without_edges_has_no_scores(kind: EdgeScore) -> None:
    assert score_edges(make_graph([], 3), kind).shape == (0,)


# Cache


@pytest.mark.parametrize("kind", KINDS)
def test_an_equal_topology_is_scored_once(kind: EdgeScore) -> None:
    first = grid_like(25, 77)
    second = Graph(25, first.edges, first.weights, features=np.ones((25, 2)))
    assert score_edges(first, kind, seed=5) is score_edges(second, kind, seed=5)


def test_a_seed_changes_only_sampled_scores() -> None:
    graph = grid_like(25, 78)
    assert score_edges(graph, "betweenness", 1) is score_edges(graph, "betweenness", 2)
    assert score_edges(graph, "k_path", 1) is not score_edges(graph, "k_path", 2)


def test_cached_scores_cannot_be_written_to() -> None:
    scores = score_edges(grid_like(25, 79), "betweenness")
    with pytest.raises(ValueError, match="read-only"):
        scores[0] = 1


def test_the_cache_drops_the_least_recently_used_scores() -> None:
    graphs = [path(count) for count in range(2, 2 + edge_scores.CACHED_SCORES + 1)]
    first = score_edges(graphs[0], "betweenness")
    second = score_edges(graphs[1], "betweenness")
    for graph in graphs[2:-1]:
        score_edges(graph, "betweenness")
    assert score_edges(graphs[0], "betweenness") is first
    score_edges(graphs[-1], "betweenness")
    assert score_edges(graphs[0], "betweenness") is first
    assert score_edges(graphs[1], "betweenness") is not second


# Stability


@pytest.mark.parametrize("kind", ["k_path", "percolation"])
def test_the_highest_sampled_scores_hardly_depend_on_the_seed(kind: EdgeScore) -> None:
    graph = ieee118()
    tops = [set(top_edges(score_edges(graph, kind, seed), 0.05).tolist()) for seed in range(4)]
    shared = [len(one & other) / len(one) for one, other in combinations(tops, 2)]
    assert np.mean(shared) > 0.6
