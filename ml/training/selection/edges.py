"""Edge weights that labels may spread by."""

import dataclasses

import numpy as np
import scipy.sparse as sp

from ml.arrays import FloatArray, IntArray, SparseMatrix
from ml.graph.edge_weights import weigh_edges
from ml.training.selection.problem import LabelProblem

WEIGHTINGS: dict[str, tuple[float, float]] = {
    "bridges_3": (3.0, 0.0),
    "plain": (1.0, 0.0),
    "bridges_10": (10.0, 0.0),
    "bridges_10_mild_contrast": (10.0, 0.25),
    "bridges_10_contrast": (10.0, 0.5),
}
"""Weight of edges between voltage levels, and how much unlike ends lower a weight."""
BY_PLACE = ("neighbourhood", "nearness")
"""Weightings by distance: with edges added between neighbouring places, and without."""
NARROW_FEATURES = 100
"""More columns are words or the like; they say nothing about the length of a line."""
_NEIGHBOURS = 8
_UNIT_LENGTH = 0.3
"""Length at which a weight is one half, as a part of the median length of a line. Chosen with
the number of neighbours on areas of the eastern and western US grids; 0.1 to 1 and 8 to 16 differ
by 0.5 points of accuracy."""
_SAME_PLACE = 1e-6


def list_weightings(problem: LabelProblem) -> tuple[str, ...]:
    """Name the edge weights that differ on this graph, the default first."""
    plain = problem.graph.adjacency
    names = list(BY_PLACE) if problem.places is not None and _has_lengths(problem) else []
    narrow = 0 < problem.graph.features.shape[1] <= NARROW_FEATURES and plain.nnz
    for name in WEIGHTINGS:
        if name == "plain" or (narrow and abs(weigh(problem, name) - plain).max() > 0):
            names.append(name)
    return (*names, *sorted(problem.edge_weights))


def weigh(problem: LabelProblem, name: str) -> SparseMatrix:
    """Return the adjacency under a named weighting. Shapes: (N, N) symmetric."""
    graph = problem.graph
    if name == "plain":
        return graph.adjacency
    if name in BY_PLACE:
        return _weigh_by_place(problem, extended=name == "neighbourhood")
    if name in problem.edge_weights:
        return dataclasses.replace(graph, weights=problem.edge_weights[name]).adjacency
    return weigh_edges(graph, *WEIGHTINGS[name])


def _has_lengths(problem: LabelProblem) -> bool:
    return bool((_measure_lengths(problem, problem.graph.edges) > _SAME_PLACE).any())


def _measure_lengths(problem: LabelProblem, edges: IntArray) -> FloatArray:
    """Return the straight distance of the ends of some edges, in the unit of places, (E,)."""
    if problem.places is None:
        return np.zeros(len(edges))
    ends = problem.places[edges]
    return np.asarray(np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1))


def _weigh_by_place(problem: LabelProblem, *, extended: bool) -> SparseMatrix:
    """Weigh edges by ``u / (length + u)``; extended, also join each place to its neighbours.

    Nodes at one place are joined to the first of them; the first ones of neighbouring places
    to each other.
    """
    edges = problem.graph.edges
    lengths = _measure_lengths(problem, edges)
    unit = _UNIT_LENGTH * float(np.median(lengths[lengths > _SAME_PLACE]))
    if extended:
        edges = np.concatenate([edges, _join_neighbours(problem)])
        lengths = _measure_lengths(problem, edges)
    count = problem.graph.node_count
    weights = unit / (lengths + unit)
    one_way = sp.coo_array((weights, tuple(edges.T)), shape=(count, count)).tocsr()
    return sp.csr_array(one_way + one_way.T)


def _join_neighbours(problem: LabelProblem) -> IntArray:
    from scipy.spatial import cKDTree

    rounded = np.round(np.asarray(problem.places), 5)
    distinct, first, place = np.unique(rounded, axis=0, return_index=True, return_inverse=True)
    place = place.ravel()
    count = min(_NEIGHBOURS + 1, len(distinct))
    found = np.asarray(cKDTree(distinct).query(distinct, k=count)[1]).reshape(len(distinct), -1)
    pairs = np.column_stack([np.repeat(first, count), first[found.ravel()]])
    pairs = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)
    nodes = np.arange(len(place))
    twins = np.column_stack([nodes, first[place]])[first[place] != nodes]
    return np.concatenate([pairs, twins]).astype(np.int64)
