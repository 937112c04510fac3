"""Conformal prediction sets from probabilities of nodes whose label was hidden.

A class belongs to the set of a node if its probability is at least a threshold: the one that
the true classes of a stated fraction of the calibration nodes have reached (the score ``1 - p``
of Sadinle, Lei and Wasserman 2019). Classes with enough calibration nodes have their own
threshold, so that the fraction holds for each of them (Vovk 2012, "Mondrian").
"""

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ml.arrays import BoolArray, FloatArray, IntArray

DEFAULT_COVERAGE = 0.9
LOWEST_COVERAGE, HIGHEST_COVERAGE = 0.5, 0.99
LEAST_IN_BIN = 50
"""Calibration nodes from which a class has its own threshold: the coverage is then met to 2 %."""
_ROUNDING = 1e-9
Probabilities: TypeAlias = FloatArray | npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class PredictionSets:
    """The smallest probability with which each class belongs to a set.

    ``units`` is the number of calibration nodes, or of their groups; ``bins`` numbers the
    threshold that each class uses.

    Shapes: thresholds (K,), bins (K,).
    """

    coverage: float
    thresholds: FloatArray
    bins: IntArray
    units: int

    def contain(self, probabilities: Probabilities) -> BoolArray:
        """Return which classes belong to the sets; the most probable class always does.

        Without it, a model that is right more often than the coverage asks for would return
        empty sets. Shapes: (n, K) -> (n, K).
        """
        inside = self.exceed(probabilities)
        inside[np.arange(len(inside)), probabilities.argmax(axis=1)] = True
        return inside

    def exceed(self, probabilities: Probabilities) -> BoolArray:
        """Return which classes reach their threshold, (n, K): sets that may be empty."""
        return np.greater_equal(probabilities, self.thresholds)


def count_needed(coverage: float) -> int:
    """Return the smallest number of calibration nodes that can promise a coverage.

    Equation: ``ceil(c / (1 - c))``: 9 nodes for 90 %, 99 nodes for 99 %.
    """
    return math.ceil(coverage / (1 - coverage) - _ROUNDING)


def calibrate(
    given: FloatArray,
    truth: IntArray,
    class_count: int,
    coverage: float,
    groups: IntArray | None = None,
) -> PredictionSets | None:
    """Make prediction sets from nodes whose label the model had not seen.

    With ``groups`` each group counts as one unit, and its nodes share the weight of one: the
    promise is then for a node of a new group (Lee, Barber and Willett 2023). None if there are
    fewer units than the coverage needs.

    Shapes: given (n,) probabilities of the true classes, truth (n,), groups (n,).
    """
    units = np.arange(len(truth)) if groups is None else np.unique(groups, return_inverse=True)[1]
    count = len(np.unique(units))
    needed = count_needed(coverage)
    if count < needed:
        return None
    pairs = np.unique(np.column_stack([truth, units]), axis=0)
    bins = assign_bins(np.bincount(pairs[:, 0], minlength=class_count), max(LEAST_IN_BIN, needed))
    thresholds = np.empty(int(bins.max()) + 1)
    for one in range(len(thresholds)):
        inside = bins[truth] == one
        thresholds[one] = find_threshold(given[inside], units[inside], coverage)
    return PredictionSets(coverage, thresholds[bins], bins, count)


def assign_bins(counts: IntArray, least: int) -> IntArray:
    """Number the threshold of each class: its own one, or the one of the small classes.

    Classes with fewer than ``least`` calibration units share a threshold; larger classes join
    them, the smallest first, until these have that many together.

    Shapes: counts (K,) -> (K,), from 0 on without gaps.
    """
    order = np.argsort(counts, kind="stable")
    shared = int((counts < least).sum())
    while 0 < shared < len(counts) and counts[order[:shared]].sum() < least:
        shared += 1
    bins = np.zeros(len(counts), dtype=np.int64)
    alone = order[shared:]
    bins[alone] = np.arange(len(alone)) + (shared > 0)
    return bins


def find_threshold(given: FloatArray, units: IntArray, coverage: float) -> float:
    """Return the probability that the true classes of enough calibration units have reached.

    Equation: the largest t with ``sum of w_i [p_i >= t] >= c (m + 1)`` for m units, where the
        nodes of a unit share the weight one. Zero if there are too few units.
    Shapes: given (n,) probabilities of the true classes, units (n,).
    """
    _, places, sizes = np.unique(units, return_inverse=True, return_counts=True)
    order = np.argsort(-given, kind="stable")
    reached = np.cumsum(1 / sizes[places[order]])
    enough = np.flatnonzero(reached >= coverage * (len(sizes) + 1) - _ROUNDING)
    return float(given[order[enough[0]]]) if len(enough) else 0.0
