import networkx as nx
import numpy as np

from ml.nn.networks.vpn import distance_matrices
from tests.ml.communities import two_communities


def test_matrices_link_the_pairs_at_exactly_their_distance() -> None:
    graph = two_communities(size=12)
    oracle = nx.from_scipy_sparse_array(graph.adjacency)
    distance = dict(nx.all_pairs_shortest_path_length(oracle))
    for hops, matrix in enumerate(distance_matrices(graph.adjacency, 3), start=1):
        expected = [
            [float(distance[one].get(other) == hops) for other in range(graph.node_count)]
            for one in range(graph.node_count)
        ]
        np.testing.assert_array_equal(matrix.toarray(), expected)
