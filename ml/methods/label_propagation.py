"""Label propagation of Zhu and Ghahramani (2002): labels spread, known ones stay."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from ml.arrays import FloatArray
from ml.graph.graph import Graph
from ml.graph.laplacian import degrees_of
from ml.graph.split import Split
from ml.levy.closed_forms import label_matrix

PUBLISHED: dict[str, Any] = {"normalised": True}
_RIDGE = 1e-9
"""Keeps the system regular on islands without a label, whose nodes then get the prior."""


def classify(graph: Graph, split: Split, settings: dict[str, Any], _seed: int) -> FloatArray:
    """Solve for the fixed point of propagation with clamped training labels.

    Equation: Zhu and Ghahramani (2002), Eq. (5), ``F_u = (I - T_uu)^-1 T_ul Y_l`` with
        ``T = D^-1 W``; if ``normalised``, with the class mass normalisation of Zhu, Ghahramani
        and Lafferty (2003): each class is scaled until its mass is its share of the training
        labels. Without it one class takes nearly all of a large graph with few labels.
    Deviation: solved directly, as ``(D_uu - W_uu) F_u = W_ul Y_l`` with a small ridge, instead
        of iterated. A node that no label reaches gets the class frequencies.
    Shapes: (N, K), rows sum to one.
    """
    known = label_matrix(graph, split.train)
    prior = known.sum(axis=0) / known.sum()
    unknown = np.setdiff1d(np.arange(graph.node_count), split.train)
    functions = known.copy()
    functions[unknown] = _spread(graph, known, unknown)
    reached = functions.sum(axis=1, keepdims=True) > 1e-6
    if settings["normalised"]:
        mass = functions.sum(axis=0)
        functions = functions * np.where(mass > 0, prior / np.where(mass > 0, mass, 1), 0)
    totals = functions.sum(axis=1, keepdims=True)
    return np.where(reached, functions / np.where(reached, totals, 1), prior)


def _spread(graph: Graph, known: FloatArray, unknown: np.ndarray[Any, Any]) -> FloatArray:
    weights = graph.adjacency
    degrees = degrees_of(weights)
    system = sp.diags_array(degrees[unknown] + _RIDGE) - weights[unknown][:, unknown]
    factors = sp.linalg.splu(sp.csc_array(system), permc_spec="MMD_AT_PLUS_A")
    return np.maximum(factors.solve(np.asarray(weights[unknown] @ known)), 0)
