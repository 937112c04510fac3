"""Correct and Smooth: the answer of a feature method, spread over the graph."""

import numpy as np

from ml.arrays import FloatArray, IntArray
from ml.training.selection.propagation import Precision


def correct_and_smooth(
    precision: Precision,
    alpha: float,
    train: IntArray,
    labels: FloatArray,
    probabilities: FloatArray,
    unseen: FloatArray | None,
) -> FloatArray:
    """Return answers that known labels and neighbours have corrected.

    The errors at the training nodes spread and are subtracted; then labels, and answers where
    there is none, spread together.

    Equation: Huang et al. (2021), Sec. 2.2 and 2.3, with ``(1 - a) P^-1 D``, which averages over
        neighbours, as the spreading.
    Deviation: errors are those of trees that did not see the node (``unseen``, (t, K)): at nodes
        that a forest has learnt by heart there is nothing to correct. Without them nothing is
        corrected, only smoothed.
    Shapes: train (t,), labels (t, K), probabilities (N, K) -> (N, K), rows sum to one.
    """
    lifted = np.where(precision.degrees > 0, precision.degrees, 1.0)[:, None]
    answers = probabilities.copy()
    if unseen is not None:
        errors = np.zeros_like(answers)
        errors[train] = labels - unseen
        answers += (1 - alpha) * precision.solve(lifted * errors)
        answers = np.maximum(answers, 0)
    answers[train] = labels
    smooth = np.maximum((1 - alpha) * precision.solve(lifted * answers), 1e-12)
    return np.asarray(smooth / smooth.sum(axis=1, keepdims=True))
