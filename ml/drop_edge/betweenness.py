"""Edge betweenness of large grids, exact up to a limit and estimated from pivots beyond it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import reverse_cuthill_mckee

from ml.arrays import BoolArray, FloatArray, IntArray
from ml.compute.compiled import compiled
from ml.compute.threads import run_tasks
from ml.graph.graph import Graph

Int32Array = npt.NDArray[np.int32]

AFFORDABLE = 2_000_000_000
"""Steps along edges from which pivots are sampled: half a minute on two cores."""
SAMPLED = 400_000_000
"""Steps spent on sampled pivots."""
_SOURCE_SHARES = 8
_TOP = 0.1


@dataclass(frozen=True, eq=False)
class Betweenness:
    """Scores of the edges, the number of pivots behind them, and their relative error.

    ``relative_error`` is the standard error of the scores of the top tenth of the edges,
    relative to those scores (quadratic mean); zero if every node was a pivot.
    Shapes: scores (M,) in the order of ``graph.pairs``.
    """

    scores: FloatArray
    pivots: int
    relative_error: float


class _Core(NamedTuple):
    """A graph without its trees; ``weights`` count the nodes that a node represents.

    The steps from a node are ``starts[node]`` up to ``starts[node + 1]``.
    """

    starts: Int32Array
    neighbours: Int32Array
    edges: Int32Array
    weights: FloatArray


class _Search(NamedTuple):
    """The state of a breadth-first search: nodes in order of visit, and the steps to farther ones.

    The steps from ``order[k]`` to nodes one farther are ``ahead_starts[k]`` up to
    ``ahead_starts[k + 1]`` of ``ahead`` and ``ahead_edges``. Distances are -1 between searches.
    """

    distances: Int32Array
    paths: FloatArray
    shares: FloatArray
    order: Int32Array
    ahead_starts: Int32Array
    ahead: Int32Array
    ahead_edges: Int32Array


def measure_betweenness(
    graph: Graph, affordable: int = AFFORDABLE, sampled: int = SAMPLED, seed: int = 0
) -> Betweenness:
    """Count the shortest paths through each edge, or estimate the number.

    Equation: Definition 1, ``C(e) = sum_(u != v) sigma_uv(e) / sigma_uv``, by the dependencies
        of Brandes 2001.
    Deviation: each unordered pair counts once. Trees are removed first, since an edge of a
        tree carries ``s (n - s)`` pairs; the nodes they hang on represent their nodes. If all
        sources would take more than ``affordable`` steps, ``sampled`` steps are spent on
        sources drawn in proportion to the number of nodes they represent. A path then
        counts by the relative position of the edge along it, seen from the source (Geisberger,
        Sanders, Schultes 2008): its two ends together count it once, and edges near a pivot,
        which few other sources reach, do not dominate the sum.
    Cost: O(core nodes x core edges) steps, or ``sampled``, on all cores.
    Shapes: scores (M,) in the order of ``graph.pairs``.
    """
    scores = np.zeros(len(graph.pairs))
    if not len(scores):
        return Betweenness(scores, 0, 0.0)
    core = _take_off_trees(graph, scores)
    count, steps = len(core.weights), len(core.neighbours)
    if count * steps <= affordable:
        sums = _accumulate(core, np.arange(count), core.weights, len(scores))
        return Betweenness(scores + sums[0] / 2, count, 0.0)
    pivots = max(2, sampled // steps)
    chances = core.weights / core.weights.sum()
    drawn = np.random.default_rng(seed).choice(count, size=pivots, p=chances)
    sums, squares = _accumulate(core, drawn, None, len(scores))
    total = core.weights.sum()
    mean = sums / pivots
    variance = np.maximum(squares / pivots - mean**2, 0) / (pivots - 1)
    scores = scores + total * mean
    return Betweenness(scores, pivots, _top_error(scores, total * np.sqrt(variance)))


def _top_error(scores: FloatArray, errors: FloatArray) -> float:
    top = np.argsort(-scores, kind="stable")[: max(1, round(_TOP * len(scores)))]
    return float(np.sqrt(np.mean((errors[top] / scores[top]) ** 2)))


def _take_off_trees(graph: Graph, scores: FloatArray) -> _Core:
    """Score the edges of trees and return the rest, with neighbours close in memory."""
    count = graph.node_count
    ends = np.concatenate([graph.pairs, graph.pairs[:, ::-1]])
    names = np.tile(np.arange(1, len(graph.pairs) + 1), 2)
    steps = sp.csr_array((names, (ends[:, 0], ends[:, 1])), shape=(count, count))
    island_sizes = np.bincount(graph.islands)[graph.islands]
    parts = (steps.indptr.astype(np.int64), steps.indices.astype(np.int64), steps.data - 1)
    weights, in_core = _peel(*parts, island_sizes, scores)
    nodes = np.flatnonzero(in_core)
    inner = sp.csr_array(steps[nodes][:, nodes])
    order = reverse_cuthill_mckee(inner, symmetric_mode=True)
    inner = sp.csr_array(inner[order][:, order])
    return _Core(
        inner.indptr.astype(np.int32),
        inner.indices.astype(np.int32),
        (inner.data - 1).astype(np.int32),
        weights[nodes][order],
    )


@compiled
def _peel(
    starts: IntArray,
    neighbours: IntArray,
    edges: IntArray,
    island_sizes: IntArray,
    scores: FloatArray,
) -> tuple[FloatArray, BoolArray]:
    """Remove leaves until none is left; each passes the nodes it represents to its neighbour."""
    count = len(starts) - 1
    weights = np.ones(count)
    in_core = np.ones(count, dtype=np.bool_)
    degrees = starts[1:] - starts[:-1]
    for first in range(count):
        leaf = first
        while leaf >= 0 and in_core[leaf] and degrees[leaf] == 1:
            in_core[leaf] = False
            following = -1
            for step in range(starts[leaf], starts[leaf + 1]):
                if in_core[neighbours[step]]:
                    following = neighbours[step]
                    scores[edges[step]] = weights[leaf] * (island_sizes[leaf] - weights[leaf])
            if following >= 0:
                weights[following] += weights[leaf]
                degrees[following] -= 1
            leaf = following if following < first else -1
    return weights, in_core


def _accumulate(
    core: _Core, sources: IntArray, factors: FloatArray | None, edge_count: int
) -> FloatArray:
    """Sum the dependencies on each edge over the sources, times factors if given.

    Without factors, dependencies are scaled by distance and their squares are summed too.
    The number of parts is fixed, so that the result does not depend on the number of threads.
    Shapes: sources (S,), factors (S,) -> (1 or 2, edge_count).
    """
    scaled = factors is None
    weights = np.ones(len(sources)) if factors is None else factors
    tasks: list[Callable[[], FloatArray]] = [
        partial(
            _search_all,
            core,
            sources[part::_SOURCE_SHARES].copy(),
            weights[part::_SOURCE_SHARES].copy(),
            np.zeros((1 + scaled, edge_count)),
        )
        for part in range(_SOURCE_SHARES)
    ]
    parts = run_tasks(tasks, together=len(sources) > _SOURCE_SHARES)
    return np.asarray(np.sum(parts, axis=0))


@compiled
def _search_all(
    core: _Core, sources: IntArray, factors: FloatArray, sums: FloatArray
) -> FloatArray:
    count, steps = len(core.weights), len(core.neighbours)
    search = _Search(
        np.full(count, -1, dtype=np.int32),
        np.zeros(count),
        np.zeros(count),
        np.zeros(count, dtype=np.int32),
        np.zeros(count + 1, dtype=np.int32),
        # Every step is written once before its direction is known.
        np.zeros(steps + 1, dtype=np.int32),
        np.zeros(steps + 1, dtype=np.int32),
    )
    for position in range(len(sources)):
        reached = _count_paths(core, search, sources[position])
        if len(sums) == 1:
            _collect(core, search, reached, factors[position], sums)
        else:
            _collect_scaled(core, search, reached, sums)
        for place in range(reached):
            search.distances[search.order[place]] = -1
    return sums


@compiled
def _count_paths(core: _Core, search: _Search, source: int) -> int:
    """Search breadth first, count the shortest paths and return the number of nodes reached."""
    search.order[0] = source
    search.distances[source] = 0
    search.paths[source] = 1
    reached = 1
    done = 0
    steps = 0
    while done < reached:
        node = search.order[done]
        beyond = search.distances[node] + 1
        for step in range(core.starts[node], core.starts[node + 1]):
            other = core.neighbours[step]
            if search.distances[other] < 0:
                search.distances[other] = beyond
                search.paths[other] = 0
                search.order[reached] = other
                reached += 1
            leads_away = search.distances[other] == beyond
            search.paths[other] += leads_away * search.paths[node]
            search.ahead[steps] = other
            search.ahead_edges[steps] = core.edges[step]
            steps += leads_away
        done += 1
        search.ahead_starts[done] = steps
    return reached


@compiled
def _collect(core: _Core, search: _Search, reached: int, factor: float, sums: FloatArray) -> None:
    """Walk back from the farthest node and pass the dependencies on.

    ``shares`` are the dependencies of a node and of the nodes it represents, per path.
    """
    for place in range(reached - 1, -1, -1):
        node = search.order[place]
        share = core.weights[node] / search.paths[node]
        weight = factor * search.paths[node]
        for step in range(search.ahead_starts[place], search.ahead_starts[place + 1]):
            beyond = search.shares[search.ahead[step]]
            share += beyond
            sums[0, search.ahead_edges[step]] += weight * beyond
        search.shares[node] = share


@compiled
def _collect_scaled(core: _Core, search: _Search, reached: int, sums: FloatArray) -> None:
    """As ``_collect``; each path counts by the relative position of the edge's middle along it."""
    for place in range(reached - 1, -1, -1):
        node = search.order[place]
        distance = search.distances[node]
        # The source is never a target: its own share is not used.
        share = core.weights[node] / (search.paths[node] * max(distance, 1))
        weight = search.paths[node] * (distance + 0.5)
        for step in range(search.ahead_starts[place], search.ahead_starts[place + 1]):
            beyond = search.shares[search.ahead[step]]
            share += beyond
            scaled = weight * beyond
            sums[0, search.ahead_edges[step]] += scaled
            sums[1, search.ahead_edges[step]] += scaled**2
        search.shares[node] = share
