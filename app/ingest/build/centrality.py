"""Columns of buses that only the graph knows, added when asked for."""

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra

from app.grid.grid import Columns, Grid, ReadGrid
from ml.arrays import BoolArray, FloatArray, IntArray, SparseMatrix

_SEED = 0
_FEWEST_PIVOTS = 16
_PIVOT_BUDGET = 4_000_000
"""Pivots times buses: every bus of a grid of 2,000 is one, 48 of one of 82,000."""
_BATCH = 16


def add_topology_columns(read: ReadGrid) -> ReadGrid:
    """Add degree, clustering, betweenness and, where generators are known, the distance to one.

    Betweenness comes from sampled pivots on grids of more than 2,000 buses; the report says so.
    Cost: one breadth-first search a pivot.
    """
    grid = read.grid
    adjacency = _make_adjacency(grid)
    pivots = _choose_pivots(grid.bus_count)
    columns: dict[str, tuple[str, FloatArray]] = {
        "degree": ("", np.bincount(grid.ends.ravel(), minlength=grid.bus_count).astype(np.float64)),
        "clustering": ("", measure_clustering(adjacency)),
        "betweenness": ("", measure_betweenness(adjacency, pivots)),
    }
    generators = grid.find_column("generators_in_service")
    if generators is not None and (generators > 0).any():
        columns["distance_to_generation"] = ("branches", _measure_distance(adjacency, generators))
    known = (*grid.feature_names, *grid.bus_columns.names)
    added = {name: pair for name, pair in columns.items() if name not in known}
    names = [{"name": name, "unit": unit or None} for name, (unit, _) in added.items()]
    told = {
        "bus_columns": [*read.report["bus_columns"], *names],
        "topology_columns": {"added": list(added), "betweenness_pivots": len(pivots)},
    }
    return replace(read, grid=_with_columns(grid, added), report=read.report | told)


def measure_clustering(adjacency: SparseMatrix) -> FloatArray:
    """Return the share of pairs of neighbours that are joined; 0 with fewer than two.

    Equation: Watts and Strogatz (1998), ``C_i = 2 t_i / (k_i (k_i - 1))``.
    """
    degree: FloatArray = np.asarray(adjacency.sum(axis=1)).ravel()
    closed: FloatArray = np.asarray((adjacency @ adjacency).multiply(adjacency).sum(axis=1)).ravel()
    pairs = degree * (degree - 1)
    found: FloatArray = np.divide(closed, pairs, out=np.zeros_like(closed), where=pairs > 0)
    return found


def measure_betweenness(adjacency: SparseMatrix, pivots: IntArray) -> FloatArray:
    """Return the share of shortest paths between other buses that go through a bus.

    Equation: Brandes (2001), accumulation of dependencies, from the pivots only and scaled up.
    Shapes: (N,) between 0 and 1.
    """
    count = adjacency.shape[0]
    total = np.zeros(count)
    for start in range(0, len(pivots), _BATCH):
        total += _accumulate(adjacency, pivots[start : start + _BATCH])
    pairs = (count - 1) * (count - 2)
    return total * (count / len(pivots)) / pairs if pairs > 0 else total


def _accumulate(adjacency: SparseMatrix, sources: IntArray) -> FloatArray:
    paths = np.zeros((adjacency.shape[0], len(sources)))
    paths[sources, np.arange(len(sources))] = 1
    levels: list[BoolArray] = [paths > 0]
    frontier = paths.copy()
    while True:
        frontier = np.asarray(adjacency @ frontier) * (paths == 0)
        if not frontier.any():
            break
        paths += frontier
        levels.append(frontier > 0)
    dependency = np.zeros_like(paths)
    safe = np.where(paths > 0, paths, 1)
    for nearer, farther in zip(levels[-2::-1], levels[:0:-1], strict=True):
        share = np.where(farther, (1 + dependency) / safe, 0)
        dependency += np.asarray(adjacency @ share) * paths * nearer
    dependency[sources, np.arange(len(sources))] = 0
    summed: FloatArray = dependency.sum(axis=1)
    return summed


def _measure_distance(adjacency: SparseMatrix, generators: FloatArray) -> FloatArray:
    sources = np.flatnonzero(generators > 0)
    found = dijkstra(adjacency, directed=False, indices=sources, unweighted=True, min_only=True)
    distances = np.asarray(found, dtype=np.float64)
    # A bus that no generator reaches is farther than any other.
    reached = np.isfinite(distances)
    return np.where(reached, distances, distances[reached].max() + 1)


def _choose_pivots(count: int) -> IntArray:
    wanted = min(count, max(_FEWEST_PIVOTS, _PIVOT_BUDGET // max(count, 1)))
    if wanted == count:
        return np.arange(count)
    return np.sort(np.random.default_rng(_SEED).choice(count, wanted, replace=False))


def _make_adjacency(grid: Grid) -> SparseMatrix:
    shape = (grid.bus_count, grid.bus_count)
    source, target = grid.ends.T
    links = sp.coo_array((np.ones(len(source)), (source, target)), shape=shape).tocsr()
    joined = sp.csr_array(links + links.T)
    joined.data[:] = 1.0
    return joined


def _with_columns(grid: Grid, added: dict[str, tuple[str, FloatArray]]) -> Grid:
    if not added:
        return grid
    known = grid.bus_columns
    values = [known.values] if known.names else []
    values.extend(column[:, np.newaxis] for _, column in added.values())
    units = (*known.units, *(unit for unit, _ in added.values()))
    return replace(grid, bus_columns=Columns((*known.names, *added), units, np.hstack(values)))
