"""Edge weights that labels may spread by."""

import dataclasses

from ml.arrays import SparseMatrix
from ml.nn.label_spreading import weigh_edges
from ml.training.selection.problem import LabelProblem

WEIGHTINGS: dict[str, tuple[float, float]] = {
    "plain": (1.0, 0.0),
    "bridges_3": (3.0, 0.0),
    "bridges_10": (10.0, 0.0),
    "bridges_10_mild_contrast": (10.0, 0.25),
    "bridges_10_contrast": (10.0, 0.5),
}
"""Weight of edges between voltage levels, and how much unlike ends lower a weight."""
NARROW_FEATURES = 100
"""More columns are words or the like; they say nothing about the length of a line."""


def list_weightings(problem: LabelProblem) -> tuple[str, ...]:
    """Name the edge weights that differ on this graph, the given ones first."""
    names = ["plain"]
    plain = problem.graph.adjacency
    if 0 < problem.graph.features.shape[1] <= NARROW_FEATURES and plain.nnz:
        others = list(WEIGHTINGS)[1:]
        names += [name for name in others if abs(weigh(problem, name) - plain).max() > 0]
    return (*names, *sorted(problem.edge_weights))


def weigh(problem: LabelProblem, name: str) -> SparseMatrix:
    """Return the adjacency under a named weighting. Shapes: (N, N) symmetric."""
    graph = problem.graph
    if name == "plain":
        return graph.adjacency
    if name in problem.edge_weights:
        return dataclasses.replace(graph, weights=problem.edge_weights[name]).adjacency
    return weigh_edges(graph, *WEIGHTINGS[name])
