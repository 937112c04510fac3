"""Label propagation of Zhu and Ghahramani (2002): labels spread, known ones stay."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from ml.arrays import FloatArray, IntArray
from ml.artifact.artifact import Tensors
from ml.config.field import setting
from ml.config.settings import MethodSettings
from ml.graph.graph import Graph
from ml.graph.laplacian import degrees_of
from ml.graph.split import Split
from ml.levy.closed_forms import label_matrix
from ml.methods import stored_scores
from ml.methods.base import Method

RIDGE = 1e-9
"""Keeps the system regular on islands without a label, whose nodes then get the prior."""
LEAST_REACHED = 1e-6
"""Sum of the scores up to which a node counts as not reached by any label."""


@dataclass(frozen=True, kw_only=True)
class LabelPropagationSettings(MethodSettings):
    """Whether class masses are normalised."""

    method: ClassVar[str] = "label_propagation"

    normalised: bool = setting(
        True, "Scale each class until its mass is its share of the training labels."
    )


def fit(
    graph: Graph, split: Split, settings: LabelPropagationSettings
) -> tuple[FloatArray, Tensors]:
    """Solve for the fixed point of propagation with clamped training labels.

    Equation: Zhu and Ghahramani (2002), Eq. (5), ``F_u = (I - T_uu)^-1 T_ul Y_l`` with
        ``T = D^-1 W``; if ``normalised``, with the class mass normalisation of Zhu, Ghahramani
        and Lafferty (2003): each class is scaled until its mass is its share of the training
        labels. Without it one class takes nearly all of a large graph with few labels.
    Deviation: solved directly, as ``(D_uu - W_uu) F_u = W_ul Y_l`` with a small ridge, instead
        of iterated. A node that no label reaches gets the class frequencies.
    Shapes: (N, K), rows sum to one.
    """
    labels = label_matrix(graph, split.train)
    prior = labels.sum(axis=0) / labels.sum()
    unlabelled = np.setdiff1d(np.arange(graph.node_count), split.train)
    functions = labels.copy()
    functions[unlabelled] = _spread(graph, labels, unlabelled)
    reached = functions.sum(axis=1, keepdims=True) > LEAST_REACHED
    if settings.normalised:
        mass = functions.sum(axis=0)
        functions = functions * np.where(mass > 0, prior / np.where(mass > 0, mass, 1), 0)
    totals = functions.sum(axis=1, keepdims=True)
    scores = np.where(reached, functions / np.where(reached, totals, 1), prior)
    return scores, {"scores": scores}


def _spread(graph: Graph, labels: FloatArray, unlabelled: IntArray) -> FloatArray:
    weights = graph.adjacency
    degrees = degrees_of(weights)
    system = sp.diags_array(degrees[unlabelled] + RIDGE) - weights[unlabelled][:, unlabelled]
    factors = sp.linalg.splu(sp.csc_array(system), permc_spec="MMD_AT_PLUS_A")
    return np.maximum(factors.solve(np.asarray(weights[unlabelled] @ labels)), 0)


METHOD = Method(
    key="label_propagation",
    title="Label propagation",
    description="known labels spread along the branches (label propagation)",
    settings=LabelPropagationSettings,
    published={"normalised": True},
    fit=fit,
    predict=stored_scores.predict,
    list_arrays=stored_scores.list_arrays,
    list_array_faults=stored_scores.list_array_faults,
    baseline_choices=lambda _graph, _config: [{"normalised": True}, {"normalised": False}],
    automatic=True,
)
