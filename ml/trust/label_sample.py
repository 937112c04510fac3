"""Where the known labels are: how far from other nodes, and whether they look like a sample."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra

from ml.arrays import BoolArray, FloatArray, IntArray, SparseMatrix

DRAWN_SAMPLES = 20
LEAST_DEVIATIONS = 5.0
"""Labels are suspected if nodes are farther from them than from as many random nodes, by this
many standard deviations over so many random draws."""
MARGIN = 0.5
"""Values beyond the known ones by more than this part of their range are outside of it."""
_SEARCH: dict[str, Any] = {"directed": False, "unweighted": True, "min_only": True}


@dataclass(frozen=True, eq=False)
class LabelDistances:
    """Distances in edges.

    Shapes: nearest (N,) to the nearest known node, inf in an island without one; apart (m,)
        of each known node, or group of known nodes, to the nearest other one.
    """

    nearest: FloatArray
    apart: FloatArray


def measure_distances(
    node_count: int, edges: IntArray, known: IntArray, groups: IntArray | None = None
) -> LabelDistances:
    """Measure how far nodes are from known nodes, and known nodes from each other.

    The nearest other known node is found through the edges between the areas that are nearest
    to different known nodes, in one search for all of them.

    Cost: O(N log N).
    Shapes: edges (E, 2), known (n,), groups (n,) of the known nodes.
    """
    units = np.arange(len(known)) if groups is None else np.unique(groups, return_inverse=True)[1]
    if not len(known):
        return LabelDistances(np.full(node_count, np.inf), np.zeros(0))
    links = _link(node_count, edges)
    nearest, _, sources = dijkstra(links, indices=known, return_predecessors=True, **_SEARCH)
    owner = np.full(node_count, -1)
    reached = np.isfinite(nearest)
    places = np.empty(node_count, dtype=np.int64)
    places[known] = units
    owner[reached] = places[sources[reached]]
    ends = edges[(owner[edges] >= 0).all(axis=1)]
    ends = ends[owner[ends[:, 0]] != owner[ends[:, 1]]]
    lengths = nearest[ends].sum(axis=1) + 1
    apart = np.full(int(units.max()) + 1, np.inf)
    for side in (0, 1):
        np.minimum.at(apart, owner[ends[:, side]], lengths)
    return LabelDistances(nearest, apart)


def is_random_sample(
    node_count: int, edges: IntArray, known: IntArray, groups: IntArray | None = None
) -> bool:
    """Return whether the known nodes are spread over the graph as random nodes would be.

    Labels that are all in one part of the grid leave the other nodes farther away. With
    ``groups`` whole groups are drawn. The draws are the same for the same graph.

    Equation: the mean of ``log(1 + distance)`` over all nodes, against random samples.
    Cost: O(N log N) per sample.
    Shapes: edges (E, 2), known (n,), groups (N,).
    """
    units = np.arange(node_count) if groups is None else groups
    count, total = len(np.unique(units[known])), len(np.unique(units))
    if count in (0, total):
        return True
    links, generator = _link(node_count, edges), np.random.default_rng(0)
    order = np.argsort(units, kind="stable")
    bounds = np.flatnonzero(np.diff(units[order], prepend=-1, append=total))
    drawn = []
    for _ in range(DRAWN_SAMPLES):
        chosen = generator.choice(total, count, replace=False)
        nodes = [order[bounds[one] : bounds[one + 1]] for one in chosen]
        drawn.append(_measure_spread(links, np.concatenate(nodes)))
    excess = _measure_spread(links, known) - np.mean(drawn)
    return bool(excess <= LEAST_DEVIATIONS * np.std(drawn, ddof=1))


def _measure_spread(links: SparseMatrix, nodes: IntArray) -> float:
    nearest = dijkstra(links, indices=nodes, **_SEARCH)
    return float(np.log1p(np.minimum(nearest, len(nearest))).mean())


def _link(node_count: int, edges: IntArray) -> SparseMatrix:
    ends = (edges[:, 0], edges[:, 1])
    return sp.csr_array((np.ones(len(edges)), ends), shape=(node_count, node_count))


def exceeds_range(features: FloatArray, known: IntArray) -> BoolArray:
    """Return which nodes have a feature far outside the values at the known nodes.

    Shapes: features (N, Q), known (n,) -> (N,).
    """
    if not len(known) or not features.shape[1]:
        return np.zeros(len(features), dtype=bool)
    low, high = features[known].min(axis=0), features[known].max(axis=0)
    margin = MARGIN * (high - low) + 1e-9 * np.maximum(abs(low), abs(high))
    return np.asarray(((features < low - margin) | (features > high + margin)).any(axis=1))
