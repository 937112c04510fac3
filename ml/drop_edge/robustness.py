"""Edge scores from robustness: percolation criticality and impact on the giant component."""

import numpy as np
import scipy.sparse as sp

from ml.arrays import FloatArray, IntArray
from ml.compute.compiled import compiled
from ml.graph.graph import Graph, censor_pairs, islands_of

PERCOLATION_ORDERS = 2_000
"""Random orders of the edges over which percolation criticality is averaged.

Measured: the 2 % of edges with the highest scores, which P-DropEdge draws from, shared by two
seeds (118, 500, 2,000 and 10,000 buses) and the seconds for 2,000 buses on one core:
100 orders 25, 35, 25 and 20 %, 0.02 s; 500 orders 42, 65, 58 and 36 %, 0.08 s; 2,000 orders 79,
78, 77 and 61 %, 0.3 s; 8,000 orders 88, 90 and 87 %, 1.4 s.
"""


def percolation_criticality(
    graph: Graph, seed: int, orders: int = PERCOLATION_ORDERS
) -> FloatArray:
    """Mean number of node pairs that an edge connects when edges appear in random order.

    Equation: Appendix D, "edge criticality based on percolation theory". The paper gives
        no formula. Here: bond percolation in the manner of Newman and Ziff (2001); an edge
        that joins clusters of sizes a and b connects ``a b`` pairs, any other edge none.
        This is the mean, over all occupation probabilities, of the connectivity lost with
        the edge; the scores add up to the connected pairs of the graph.
    Deviation: averaged over ``orders`` random orders.
    Cost: O(orders |E|) union-find steps.
    Shapes: (M,) in the order of ``graph.pairs``.
    """
    generator = np.random.default_rng(seed)
    joined = np.zeros(len(graph.pairs))
    for _ in range(orders):
        _percolate(graph.pairs, generator.permutation(len(joined)), graph.node_count, joined)
    return joined / orders


@compiled
def _percolate(pairs: IntArray, order: IntArray, node_count: int, joined: FloatArray) -> None:
    parent = np.arange(node_count)
    size = np.ones(node_count)
    for edge in order:
        small, large = _root(parent, pairs[edge, 0]), _root(parent, pairs[edge, 1])
        if small == large:
            continue
        if size[small] > size[large]:
            small, large = large, small
        joined[edge] += size[small] * size[large]
        parent[small] = large
        size[large] += size[small]


@compiled
def _root(parent: IntArray, node: int) -> int:
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


def giant_component_impact(graph: Graph) -> FloatArray:
    """Nodes by which the largest island shrinks when an edge is removed.

    Equation: Appendix D, "centrality based on the edge impact on giant comp".
    Deviation: only bridges have an impact; sizes come from the tree of the parts between
        bridges instead of one search per edge.
    Cost: O(N + M).
    Shapes: (M,) in the order of ``graph.pairs``.
    """
    island_sizes = np.bincount(graph.islands)
    giant = int(island_sizes.argmax())
    rival = int(np.delete(island_sizes, giant).max(initial=0))
    bridges = _bridges(graph)
    bridges = bridges[graph.islands[graph.pairs[bridges, 0]] == giant]
    impact = np.zeros(len(graph.pairs))
    if len(bridges):
        whole = int(island_sizes[giant])
        beyond = _nodes_beyond(graph, bridges)
        impact[bridges] = whole - np.maximum(np.maximum(beyond, whole - beyond), rival)
    return np.maximum(impact, 0)


def _bridges(graph: Graph) -> IntArray:
    # Imported late: no other edge score needs it, and it takes a second.
    import igraph

    network = igraph.Graph(n=graph.node_count, edges=graph.pairs)
    return np.asarray(network.bridges(), dtype=np.int64)


def _nodes_beyond(graph: Graph, bridges: IntArray) -> IntArray:
    """Count the nodes on the far side of each bridge of one island, seen from a root."""
    parts = islands_of(censor_pairs(graph.adjacency, graph.pairs[bridges]))
    ends = parts[graph.pairs[bridges]]
    count = int(parts.max()) + 1
    links = (np.ones(len(ends)), (ends[:, 0], ends[:, 1]))
    tree = sp.csr_array(links, shape=(count, count))
    order, parent = sp.csgraph.breadth_first_order(tree, ends[0, 0], directed=False)
    sizes = np.bincount(parts)
    for part in order[:0:-1]:
        sizes[parent[part]] += sizes[part]
    child = np.where(parent[ends[:, 1]] == ends[:, 0], ends[:, 1], ends[:, 0])
    return sizes[child].astype(np.int64)
