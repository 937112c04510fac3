"""Edge scores from random walks: how often short paths run through an edge."""

from typing import NamedTuple

import numpy as np

from ml.arrays import FloatArray, IntArray
from ml.compute.compiled import compiled
from ml.graph.graph import Graph

PATH_LENGTH = 20
"""Longest walk of the k-path centrality, in edges."""


def k_path_centrality(graph: Graph, seed: int, length: int = PATH_LENGTH) -> FloatArray:
    """Share of short random simple paths that run through each edge.

    Equation: Appendix D, "k-path edge centrality with time complexity O(k|E|)"; De Meo et
        al. 2012: ``sum_s sigma_s^k(e) / sigma_s^k`` over simple paths of at most k edges.
    Deviation: estimated by |E| random walks that never return to a node, each
        from a node drawn uniformly; the score is the share of the walks that cross the edge.
    Cost: O(k |E|) steps.
    Shapes: (M,) in the order of ``graph.pairs``.
    """
    generator = np.random.default_rng(seed)
    walks = len(graph.pairs)
    starts = generator.integers(graph.node_count, size=walks)
    choices = generator.random((walks, length))
    crossed = np.zeros(walks)
    _walk(_neighbours(graph), starts, choices, crossed)
    return crossed / max(1, walks)


class Neighbours(NamedTuple):
    """Where each node can go: its steps are ``starts[node]`` up to ``starts[node + 1]``."""

    starts: IntArray
    nodes: IntArray
    edges: IntArray


def _neighbours(graph: Graph) -> Neighbours:
    sources = graph.pairs.T.ravel()
    targets = graph.pairs[:, ::-1].T.ravel()
    order = np.argsort(sources, kind="stable")
    counts = np.bincount(sources, minlength=graph.node_count)
    edges = np.tile(np.arange(len(graph.pairs)), 2)
    return Neighbours(np.concatenate([[0], np.cumsum(counts)]), targets[order], edges[order])


@compiled
def _walk(
    neighbours: Neighbours, starts: IntArray, choices: FloatArray, crossed: FloatArray
) -> None:
    last_visit = np.full(len(neighbours.starts) - 1, -1)
    for walk, start in enumerate(starts):
        node = start
        for choice in choices[walk]:
            last_visit[node] = walk
            step = _choose(neighbours, node, last_visit, choice)
            if step < 0:
                break
            crossed[neighbours.edges[step]] += 1
            node = neighbours.nodes[step]


@compiled
def _choose(neighbours: Neighbours, node: int, last_visit: IntArray, choice: float) -> int:
    """Pick one of the steps to nodes that this walk has not seen, -1 if there is none."""
    walk = last_visit[node]
    steps = range(neighbours.starts[node], neighbours.starts[node + 1])
    ahead = 0
    for step in steps:
        ahead += last_visit[neighbours.nodes[step]] != walk
    left = int(choice * ahead)
    for step in steps:
        if last_visit[neighbours.nodes[step]] != walk:
            if left == 0:
                return step
            left -= 1
    return -1
