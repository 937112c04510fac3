"""Columns of buses computed from the topology: degree, clustering, betweenness, distance."""

from dataclasses import replace

import igraph
import msgspec
import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra

from app.grid.grid import Columns, Grid
from app.grid.report import ColumnInfo, ReadGrid, TopologyColumns
from ml.arrays import FloatArray, IntArray, SparseMatrix

_SEED = 0
_FEWEST_PIVOTS = 16
_PIVOT_BUDGET = 4_000_000
"""Pivots times buses: all buses of a grid of 2,000 are pivots, 48 of a grid of 82,000."""


def add_topology_columns(read: ReadGrid) -> ReadGrid:
    """Add degree, clustering, betweenness and, if the grid has generators, the distance to one.

    Betweenness comes from sampled pivots on grids of more than 2,000 buses; the report says so.
    Cost: one breadth-first search per pivot.
    """
    grid = read.grid
    adjacency = _make_adjacency(grid)
    pivots = _choose_pivots(grid.bus_count)
    columns: dict[str, tuple[str, FloatArray]] = {
        "degree": ("", np.bincount(grid.ends.ravel(), minlength=grid.bus_count).astype(np.float64)),
        "clustering": ("", measure_clustering(adjacency)),
        "betweenness": ("", measure_betweenness(grid.bus_count, grid.ends, pivots)),
    }
    generators = grid.find_column("generators_in_service")
    if generators is not None and (generators > 0).any():
        columns["distance_to_generation"] = ("branches", _measure_distance(adjacency, generators))
    present = (*grid.feature_names, *grid.bus_columns.names)
    added = {name: pair for name, pair in columns.items() if name not in present}
    infos = [ColumnInfo(name, unit or None) for name, (unit, _) in added.items()]
    report = msgspec.structs.replace(
        read.report,
        bus_columns=[*read.report.bus_columns, *infos],
        topology_columns=TopologyColumns(list(added), betweenness_pivots=len(pivots)),
    )
    return replace(read, grid=_with_columns(grid, added), report=report)


def measure_clustering(adjacency: SparseMatrix) -> FloatArray:
    """Return the share of pairs of neighbours that are joined; 0 with fewer than two.

    Equation: Watts and Strogatz (1998), ``C_i = 2 t_i / (k_i (k_i - 1))``.
    """
    degree: FloatArray = np.asarray(adjacency.sum(axis=1)).ravel()
    closed: FloatArray = np.asarray((adjacency @ adjacency).multiply(adjacency).sum(axis=1)).ravel()
    pairs = degree * (degree - 1)
    shares: FloatArray = np.divide(closed, pairs, out=np.zeros_like(closed), where=pairs > 0)
    return shares


def measure_betweenness(bus_count: int, ends: IntArray, pivots: IntArray) -> FloatArray:
    """Return the share of shortest paths between other buses that pass through a bus.

    Equation: Brandes (2001), summed over paths that start at the pivots, and scaled up.
    Shapes: (N,) between 0 and 1.
    """
    graph = igraph.Graph(n=bus_count, edges=ends.tolist()).simplify()
    paths = np.array(graph.betweenness(sources=pivots.tolist()))
    pairs = (bus_count - 1) * (bus_count - 2) / 2  # igraph counts each pair of ends once
    return paths * (bus_count / len(pivots)) / pairs if pairs > 0 else paths


def _measure_distance(adjacency: SparseMatrix, generators: FloatArray) -> FloatArray:
    sources = np.flatnonzero(generators > 0)
    shortest = dijkstra(adjacency, directed=False, indices=sources, unweighted=True, min_only=True)
    distances = np.asarray(shortest, dtype=np.float64)
    # A bus that no generator reaches is farther away than all others.
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
    present = grid.bus_columns
    values = [present.values] if present.names else []
    values.extend(column[:, np.newaxis] for _, column in added.values())
    units = (*present.units, *(unit for unit, _ in added.values()))
    return replace(grid, bus_columns=Columns((*present.names, *added), units, np.hstack(values)))
