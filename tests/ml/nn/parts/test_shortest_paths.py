import itertools

import networkx as nx
import numpy as np

from ml.nn.parts.shortest_paths import short_paths
from tests.ml.communities import two_communities
from tests.ml.grids import make_graph, star


def test_paths_follow_edges_and_are_shortest() -> None:
    graph = two_communities(size=12)
    oracle = nx.from_scipy_sparse_array(graph.adjacency)
    distance = dict(nx.all_pairs_shortest_path_length(oracle))
    for length, table in enumerate(short_paths(graph.adjacency, 3), start=1):
        assert table.shape[1] == length + 1
        for path in table.tolist():
            assert all(oracle.has_edge(*step) for step in itertools.pairwise(path))
            assert distance[path[0]][path[-1]] == length


def test_a_node_keeps_as_many_paths_of_a_length_as_it_has_neighbours() -> None:
    second = short_paths(star(6).adjacency, 2)[1]
    starts = np.bincount(second[:, 0], minlength=7)
    np.testing.assert_array_equal(starts, [0, 1, 1, 1, 1, 1, 1])


def test_paths_through_hubs_are_left_out_first() -> None:
    quiet_and_hub = [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6), (2, 7)]
    second = short_paths(make_graph(quiet_and_hub).adjacency, 2)[1]
    assert second[second[:, 0] == 0].tolist() == [[0, 1, 3], [0, 1, 4]]


def test_the_first_table_holds_every_edge_in_both_directions() -> None:
    graph = two_communities(size=6)
    assert len(short_paths(graph.adjacency, 1)[0]) == 2 * len(graph.pairs)
