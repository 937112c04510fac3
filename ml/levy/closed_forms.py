"""Graph-based semi-supervised learning in closed form: SL, NL, PR and FSL, FNL, FPR."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy.sparse as sp

from ml.arrays import FloatArray, IntArray, SparseMatrix
from ml.errors import Fault, InvalidSplit
from ml.graph.graph import UNLABELLED, Graph
from ml.graph.laplacian import check_exponents, degree_power, degrees_of
from ml.levy.build import LevyFamily
from ml.levy.filter import check_filter, filter_signal

ClosedFormName = Literal["SL", "NL", "PR", "FSL", "FNL", "FPR"]

ACCURACY = 1e-8
"""Relative error of a Lévy operator that is not stored as a full matrix."""

SIGMAS: dict[ClosedFormName, float] = {
    "SL": 1.0,
    "NL": 0.5,
    "PR": 0.0,
    "FSL": 1.0,
    "FNL": 0.5,
    "FPR": 0.0,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedForm:
    """A classifier that spreads known labels over the graph without training.

    Equation: Eq. (eq_gssl), and for ``gamma < 1`` the closed form of Eq.
        (fractional_closed_form).
    Raises: InvalidHyperparameter if alpha, sigma or gamma is outside its interval.
    """

    alpha: float
    sigma: float
    gamma: float = 1.0

    def __post_init__(self) -> None:
        check_filter(self.alpha, order=None)
        check_exponents(self.gamma, self.sigma)

    def probabilities(self, graph: Graph, nodes: IntArray) -> FloatArray:
        """Return class probabilities of every node from the labels of some.

        Equation: ``F`` of ``classification_functions`` with rows scaled to sum to one.
        Deviation: a node that no label reaches gets the class frequencies of ``nodes``.
        Shapes: nodes (n,) positions -> (N, K).
        Raises: InvalidSplit if none of the nodes has a label.
        """
        labels = label_matrix(graph, nodes)
        frequencies = labels.sum(axis=0)
        if not frequencies.any():
            raise InvalidSplit([Fault("nodes", "none of the nodes has a label")])
        functions = classification_functions(
            graph.adjacency, labels, self.alpha, self.sigma, self.gamma
        )
        functions = np.maximum(functions, 0)
        totals = functions.sum(axis=1, keepdims=True)
        prior = np.broadcast_to(frequencies / frequencies.sum(), functions.shape)
        shares: FloatArray = np.divide(functions, totals, out=prior.copy(), where=totals > 0)
        return shares

    def predict(self, graph: Graph, nodes: IntArray) -> IntArray:
        """Return the most probable class of every node, (N,). Raises: as ``probabilities``."""
        return np.asarray(self.probabilities(graph, nodes).argmax(axis=1), dtype=np.int64)


def closed_form(name: ClosedFormName, alpha: float, gamma: float = 1.0) -> ClosedForm:
    """Return one of the paper's six methods by its name.

    Equation: Sec. III-A, the particular cases sigma = 1, 1/2, 0 of G-SSL (``SL``, ``NL``,
        ``PR``, for which ``gamma`` is one) and of its fractional form (``FSL`` ...).
    """
    fractional = name.startswith("F")
    return ClosedForm(alpha=alpha, sigma=SIGMAS[name], gamma=gamma if fractional else 1.0)


def label_matrix(graph: Graph, nodes: IntArray) -> FloatArray:
    """Return ``Y`` of Sec. III restricted to some nodes: ``Y_ik = 1`` if i is of class k.

    Shapes: nodes (n,) positions -> (N, K).
    """
    matrix = np.zeros((graph.node_count, graph.class_count))
    labelled = nodes[graph.labels[nodes] != UNLABELLED]
    matrix[labelled, graph.labels[labelled]] = 1
    return matrix


def classification_functions(
    adjacency: SparseMatrix | FloatArray,
    labels: FloatArray,
    alpha: float,
    sigma: float,
    gamma: float = 1.0,
) -> FloatArray:
    """Solve for the classification functions of all classes.

    Equation: Eq. (eq_gssl) ``F = (1-a) (I - a D^-s W D^(s-1))^-1 Y`` and, for gamma < 1, the
        closed form of Eq. (fractional_closed_form) with ``D_g`` and ``W_g``.
    Deviation: an isolated node keeps ``F = (1-a) Y``.
    Cost: one sparse LU factorisation if gamma is one; else that of the Lévy operator.
    Shapes: adjacency (N, N) symmetric, dense or sparse, labels (N, K) -> (N, K).
    Raises: InvalidHyperparameter if alpha, sigma or gamma is outside its interval;
        ToleranceNotReached if the weights of a large graph span too many decades.
    """
    check_filter(alpha, order=None)
    check_exponents(gamma, sigma)
    weights = sp.csr_array(adjacency)
    if gamma < 1:
        flight = LevyFamily(weights, gamma, sigma, accuracy=ACCURACY).whole_once()
        return filter_signal(flight, labels, alpha, method="exact")
    degrees = degrees_of(weights)
    left = sp.diags_array(degree_power(degrees, -sigma))
    right = sp.diags_array(degree_power(degrees, sigma - 1))
    system = sp.eye_array(len(degrees)) - alpha * (left @ weights @ right)
    factors = sp.linalg.splu(system.tocsc(), permc_spec="MMD_AT_PLUS_A")
    return (1 - alpha) * factors.solve(labels)
