"""Edge scores by which P-DropEdge ranks edges, cached per topology."""

from collections.abc import Callable
from threading import Lock

from cachetools import LRUCache, cached

from ml.arrays import FloatArray
from ml.config.settings import EdgeScore
from ml.drop_edge.betweenness import measure_betweenness
from ml.drop_edge.robustness import giant_component_impact, percolation_criticality
from ml.drop_edge.walks import k_path_centrality
from ml.graph.graph import Graph

CACHED_SCORES = 64
"""Score arrays in memory: 64 of the largest grid, 104,000 pairs, are 53 MB."""
_SEEDED: frozenset[EdgeScore] = frozenset({"k_path", "percolation"})

_cache: LRUCache[tuple[str, EdgeScore, int], FloatArray] = LRUCache(CACHED_SCORES)


def _key(graph: Graph, kind: EdgeScore, seed: int = 0) -> tuple[str, EdgeScore, int]:
    return graph.topology_hash, kind, seed if kind in _SEEDED else 0


@cached(_cache, key=_key, lock=Lock())
def score_edges(graph: Graph, kind: EdgeScore, seed: int = 0) -> FloatArray:
    """Score the undirected pairs of a graph; computed once per topology, kind and seed.

    Equation: Definition 1 for ``betweenness``; Appendix D names the other three.
    Deviation: weights and directions are ignored, E is the set of pairs of ``W'``.
    Shapes: (M,) in the order of ``graph.pairs``; read-only.
    """
    scores = _SCORES[kind](graph, seed)
    scores.setflags(write=False)
    return scores


def edge_betweenness(graph: Graph) -> FloatArray:
    """Count the shortest paths through each edge.

    Equation: Definition 1, ``C(e) = sum_(u != v) sigma_uv(e) / sigma_uv``.
    Deviation: each unordered pair (u, v) counts once; the factor of two cancels in psi. From tens
        of thousands of nodes on it is estimated from sampled pivots, see ``measure_betweenness``.
    Cost: O(N M) time up to a limit.
    Shapes: (M,) in the order of ``graph.pairs``.
    """
    return measure_betweenness(graph).scores


_SCORES: dict[EdgeScore, Callable[[Graph, int], FloatArray]] = {
    "betweenness": lambda graph, _: edge_betweenness(graph),
    "k_path": k_path_centrality,
    "percolation": percolation_criticality,
    "giant_component": lambda graph, _: giant_component_impact(graph),
}
