"""k-path edge centrality."""

from collections import defaultdict

import networkx as nx
import numpy as np
import pytest

from ml.drop_edge.walks import k_path_centrality
from ml.graph.graph import Graph
from tests.ml.grids import grid_like, make_graph, star


def expected_crossings(graph: Graph, length: int) -> list[float]:
    """How often one random simple walk crosses each edge on average, by following them all."""
    network = nx.Graph(graph.pairs.tolist())
    crossings: dict[tuple[int, int], float] = defaultdict(float)

    def follow(walk: list[int], probability: float) -> None:
        ahead = [node for node in network[walk[-1]] if node not in walk]
        if len(walk) > length or not ahead:
            return
        for node in ahead:
            share = probability / len(ahead)
            crossings[min(walk[-1], node), max(walk[-1], node)] += share
            follow([*walk, node], share)

    for start in network:
        follow([start], 1 / graph.node_count)
    return [crossings[one, other] for one, other in graph.pairs.tolist()]


@pytest.mark.parametrize("length", [1, 2, 5])
def test_k_path_centrality_agrees_with_following_every_walk(length: int) -> None:
    graph = make_graph([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5), (5, 6)])
    runs = [k_path_centrality(graph, seed, length, walks_per_edge=1) for seed in range(2000)]
    error = np.std(runs, axis=0) / np.sqrt(len(runs))
    difference = np.abs(np.mean(runs, axis=0) - expected_crossings(graph, length))
    assert (difference < 5 * error).all()


def test_a_walk_of_one_step_crosses_one_edge() -> None:
    assert k_path_centrality(grid_like(30, 1), seed=0, length=1).sum() == pytest.approx(1)


def test_a_walk_on_a_star_crosses_at_most_two_edges() -> None:
    assert 1 <= k_path_centrality(star(9), seed=0, length=20).sum() <= 2


def test_k_path_centrality_depends_on_nothing_but_the_seed() -> None:
    graph = grid_like(30, 1)
    first, again, other = (k_path_centrality(graph, seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
