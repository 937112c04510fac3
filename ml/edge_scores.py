"""How much each edge matters to the topology: the scores P-DropEdge can rank edges by."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

import igraph
import numpy as np

from ml.arrays import FloatArray
from ml.config import EdgeScore
from ml.edge_robustness import giant_component_impact, percolation_criticality
from ml.graph import Graph

PATH_LENGTH = 20
"""Longest walk of the k-path centrality, in edges."""
CACHED_SCORES = 64
_SEEDED: frozenset[EdgeScore] = frozenset({"k_path", "percolation"})

_cache: OrderedDict[tuple[str, EdgeScore, int], FloatArray] = OrderedDict()
_cache_lock = Lock()


def score_edges(graph: Graph, kind: EdgeScore, seed: int = 0) -> FloatArray:
    """Score the undirected pairs of a graph; computed once for a topology, kind and seed.

    Equation: Definition 1 for ``betweenness``; Appendix D names the other three.
    Deviation: weights and directions are ignored, E is the set of pairs of ``W'``.
    Shapes: (M,) in the order of ``graph.pairs``; read-only.
    """
    key = (graph.topology_hash, kind, seed if kind in _SEEDED else 0)
    with _cache_lock:
        if key in _cache:
            _cache.move_to_end(key)
            return _cache[key]
    scores = _SCORES[kind](graph, seed)
    scores.setflags(write=False)
    with _cache_lock:
        _cache[key] = scores
        while len(_cache) > CACHED_SCORES:
            _cache.popitem(last=False)
    return scores


def edge_betweenness(graph: Graph) -> FloatArray:
    """Count the shortest paths through each edge.

    Equation: Definition 1, ``C(e) = sum_(u != v) sigma_uv(e) / sigma_uv``.
    Deviation: each unordered pair (u, v) counts once; the factor of two cancels in psi.
    Cost: O(N M) time.
    Shapes: (M,) in the order of ``graph.pairs``.
    """
    network = _network(graph)
    return np.asarray(network.edge_betweenness(directed=False), dtype=np.float64)


def k_path_centrality(graph: Graph, seed: int, length: int = PATH_LENGTH) -> FloatArray:
    """Share of short random simple paths that run through each edge.

    Equation: Appendix D, "k-path edge centrality with time complexity O(k|E|)"; De Meo et
        al. 2012: ``sum_s sigma_s^k(e) / sigma_s^k`` over simple paths of at most k edges.
    Deviation: estimated, as there, by |E| random walks that never return to a node, each
        from a node drawn uniformly; the score is the share of the walks that cross the edge.
    Cost: O(k |E|) steps.
    Shapes: (M,) in the order of ``graph.pairs``.
    """
    generator = np.random.default_rng(seed)
    neighbours = _neighbour_lists(graph)
    crossed = np.zeros(len(graph.pairs))
    starts = generator.integers(graph.node_count, size=len(crossed)).tolist()
    choices = generator.random((len(crossed), length))
    for start, choice in zip(starts, choices, strict=True):
        crossed[_simple_walk(neighbours, start, choice.tolist())] += 1
    return crossed / max(1, len(crossed))


def _simple_walk(
    neighbours: list[list[tuple[int, int]]], start: int, choices: list[float]
) -> list[int]:
    visited = {start}
    node = start
    edges = []
    for choice in choices:
        ahead = [step for step in neighbours[node] if step[0] not in visited]
        if not ahead:
            break
        node, edge = ahead[int(choice * len(ahead))]
        visited.add(node)
        edges.append(edge)
    return edges


def _network(graph: Graph) -> igraph.Graph:
    return igraph.Graph(n=graph.node_count, edges=graph.pairs)


def _neighbour_lists(graph: Graph) -> list[list[tuple[int, int]]]:
    neighbours: list[list[tuple[int, int]]] = [[] for _ in range(graph.node_count)]
    for edge, (one, other) in enumerate(graph.pairs.tolist()):
        neighbours[one].append((other, edge))
        neighbours[other].append((one, edge))
    return neighbours


_SCORES: dict[EdgeScore, Callable[[Graph, int], FloatArray]] = {
    "betweenness": lambda graph, _: edge_betweenness(graph),
    "k_path": k_path_centrality,
    "percolation": percolation_criticality,
    "giant_component": lambda graph, _: giant_component_impact(graph),
}
