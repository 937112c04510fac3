"""The cheapest short paths from every node, which SPAGAN attends to."""

import numpy as np

from ml.arrays import FloatArray, IntArray, SparseMatrix

PathTable = IntArray
"""One path per row: the nodes from start to end, (P, length + 1)."""


def short_paths(adjacency: SparseMatrix, longest: int) -> list[PathTable]:
    """Find the paths of 1, 2, ... ``longest`` edges between nodes that are no closer.

    Equation: Yang et al. (2019), Sec. 3.1: for each node and length as many paths as the node
        has neighbours (sampling ratio one), the cheapest first.
    Deviation: the paper prices edges by the attention of a first training; here attention is
        taken as uniform, so a step out of a node of degree d costs ``log d`` and paths through
        hubs are expensive. Of the paths between two nodes only the cheapest is used. The authors'
        program uses half as many longer paths as a node has neighbours, which was less accurate
        on validation nodes of Cora and CiteSeer.
    Shapes: (N, N) symmetric -> tables (P_c, c + 1).
    """
    count = adjacency.shape[0]
    degrees = np.diff(adjacency.indptr).astype(np.int64)
    step_cost = np.log(np.maximum(degrees, 1)).astype(np.float64)
    rows = np.repeat(np.arange(count), degrees)
    paths = np.stack([rows, adjacency.indices], axis=1).astype(np.int64)
    cost = step_cost[paths[:, 0]]
    closer = np.unique(
        np.concatenate([paths[:, 0] * count + paths[:, 1], np.arange(count) * (count + 1)])
    )
    tables = [paths]
    for _ in range(longest - 1):
        paths, cost = _extend(paths, cost, adjacency, step_cost)
        paths, cost = _cheapest_between(paths, cost, closer, count)
        closer = np.union1d(closer, paths[:, 0] * count + paths[:, -1])
        tables.append(_cheapest_of_start(paths, cost, degrees))
    return tables


def _extend(
    paths: PathTable, cost: FloatArray, adjacency: SparseMatrix, step_cost: FloatArray
) -> tuple[PathTable, FloatArray]:
    ends = paths[:, -1]
    first = adjacency.indptr[ends].astype(np.int64)
    sizes = adjacency.indptr[ends + 1].astype(np.int64) - first
    source = np.repeat(np.arange(len(paths)), sizes)
    within = np.arange(len(source)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    targets = adjacency.indices[np.repeat(first, sizes) + within].astype(np.int64)
    longer = np.concatenate([paths[source], targets[:, None]], axis=1)
    return longer, cost[source] + step_cost[ends[source]]


def _cheapest_between(
    paths: PathTable, cost: FloatArray, closer: IntArray, count: int
) -> tuple[PathTable, FloatArray]:
    key = paths[:, 0] * count + paths[:, -1]
    far = ~np.isin(key, closer)
    paths, cost, key = paths[far], cost[far], key[far]
    order = np.lexsort((cost, key))
    first = np.unique(key[order], return_index=True)[1]
    chosen = order[first]
    return paths[chosen], cost[chosen]


def _cheapest_of_start(paths: PathTable, cost: FloatArray, degrees: IntArray) -> PathTable:
    order = np.lexsort((cost, paths[:, 0]))
    starts = paths[order, 0]
    begins = np.searchsorted(starts, starts)
    rank = np.arange(len(starts)) - begins
    chosen: PathTable = paths[order[rank < degrees[starts]]]
    return chosen
