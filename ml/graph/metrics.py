"""Quality of predictions: accuracy, F1, confusion matrix, log loss, calibration error."""

import math
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

from ml.arrays import FloatArray, IntArray
from ml.errors import Fault, InvalidInput
from ml.graph.graph import UNLABELLED

CALIBRATION_BINS = 15
_SMALLEST = float(np.finfo(np.float64).tiny)
_SUM_TOLERANCE = 1e-3
_NORMAL_95 = 1.959963984540054
"""Half width of the interval around zero with 95 % of the standard normal distribution."""


class FigureDocument(TypedDict, total=False):
    """The four figures that are stored for every method; None where undefined."""

    count: int | None
    accuracy: float | None
    macro_f1: float | None
    log_loss: float | None


class ClassFigureDocument(TypedDict):
    """One class against all others."""

    precision: float | None
    recall: float | None
    f1: float | None
    support: int


class MetricsDocument(FigureDocument, total=False):
    """All figures of a model on one part of its split."""

    per_class: list[ClassFigureDocument]
    confusion: list[list[int]]
    expected_calibration_error: float | None


@dataclass(frozen=True, slots=True)
class ClassMetrics:
    """One class against the rest; all but ``support`` are nan if it never occurs."""

    precision: float
    recall: float
    f1: float
    support: int


@dataclass(frozen=True, slots=True)
class Metrics:
    """The measures over one set of nodes; nan where they are undefined.

    ``confusion[i][j]`` counts the nodes of class i that were predicted as j.
    """

    count: int
    accuracy: float
    macro_f1: float
    per_class: tuple[ClassMetrics, ...]
    confusion: tuple[tuple[int, ...], ...]
    log_loss: float
    expected_calibration_error: float

    def summary(self) -> FigureDocument:
        """Return count, accuracy, macro F1 and log loss as JSON values, ``None`` for nan."""
        return {
            "count": self.count,
            "accuracy": _plain(self.accuracy),
            "macro_f1": _plain(self.macro_f1),
            "log_loss": _plain(self.log_loss),
        }

    def as_dict(self) -> MetricsDocument:
        """Return plain JSON values, ``None`` for nan."""
        return {
            "count": self.count,
            "accuracy": _plain(self.accuracy),
            "macro_f1": _plain(self.macro_f1),
            "per_class": [
                {
                    "precision": _plain(one.precision),
                    "recall": _plain(one.recall),
                    "f1": _plain(one.f1),
                    "support": one.support,
                }
                for one in self.per_class
            ],
            "confusion": [list(row) for row in self.confusion],
            "log_loss": _plain(self.log_loss),
            "expected_calibration_error": _plain(self.expected_calibration_error),
        }


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value


def evaluate(
    probabilities: npt.NDArray[np.floating[Any]], labels: IntArray, nodes: IntArray
) -> Metrics:
    """Measure predicted class probabilities on some nodes.

    Deviation: nodes without a label do not count. Macro-F1 is the mean over the classes
        that occur among labels or predictions; within it, precision without a prediction
        and recall without support are zero.
    Shapes: probabilities (N, K), labels (N,), nodes (n,) positions.
    Raises: InvalidInput if the shapes disagree or a row is not a distribution.
    """
    if probabilities.ndim != 2 or len(probabilities) != len(labels):
        problem = f"shape {probabilities.shape}, expected ({len(labels)}, K)"
        raise InvalidInput([Fault("probabilities", problem)])
    labelled = nodes[labels[nodes] != UNLABELLED]
    chosen = probabilities[labelled].astype(np.float64)
    truth = labels[labelled]
    _check(chosen, truth)
    confusion = _confusion(chosen, truth, probabilities.shape[1])
    per_class = tuple(_per_class(confusion))
    occurring = [one.f1 for one in per_class if not math.isnan(one.f1)]
    count = len(labelled)
    return Metrics(
        count=count,
        accuracy=_ratio(float(np.trace(confusion)), count),
        macro_f1=_ratio(sum(occurring), len(occurring)),
        per_class=per_class,
        confusion=tuple(tuple(int(cell) for cell in row) for row in confusion),
        log_loss=_log_loss(chosen, truth),
        expected_calibration_error=calibration_error(chosen, truth),
    )


def _check(chosen: FloatArray, truth: IntArray) -> None:
    faults = []
    if truth.size and truth.max() >= chosen.shape[1]:
        faults.append(Fault("labels", f"class {truth.max()} has no column of probabilities"))
    if not (np.abs(chosen.sum(axis=1) - 1) <= _SUM_TOLERANCE).all() or (chosen < 0).any():
        faults.append(Fault("probabilities", "a row is not a distribution"))
    if faults:
        raise InvalidInput(faults)


def _confusion(chosen: FloatArray, truth: IntArray, class_count: int) -> IntArray:
    confusion = np.zeros((class_count, class_count), dtype=np.int64)
    if len(truth):
        np.add.at(confusion, (truth, chosen.argmax(axis=1)), 1)
    return confusion


def _per_class(confusion: IntArray) -> list[ClassMetrics]:
    support = confusion.sum(axis=1)
    called = confusion.sum(axis=0)
    measures = []
    for label, hits in enumerate(np.diagonal(confusion)):
        if support[label] + called[label] == 0:
            measures.append(ClassMetrics(math.nan, math.nan, math.nan, 0))
            continue
        precision = float(hits / called[label]) if called[label] else 0.0
        recall = float(hits / support[label]) if support[label] else 0.0
        f1 = float(2 * hits / (support[label] + called[label]))
        measures.append(ClassMetrics(precision, recall, f1, int(support[label])))
    return measures


def _log_loss(chosen: FloatArray, truth: IntArray) -> float:
    if not len(truth):
        return math.nan
    given = chosen[np.arange(len(truth)), truth]
    return float(-np.log(np.maximum(given, _SMALLEST)).mean())


def calibration_error(chosen: FloatArray, truth: IntArray, bins: int = CALIBRATION_BINS) -> float:
    """Return the expected calibration error of the most probable class.

    Equation: ``sum_b (n_b / n) |accuracy_b - confidence_b|`` over bins of equal width
        ``(b / B, (b + 1) / B]`` (Guo et al. 2017).
    Shapes: chosen (n, K), truth (n,).
    """
    if not len(truth):
        return math.nan
    confidence = chosen.max(axis=1)
    right = chosen.argmax(axis=1) == truth
    bin_of = np.clip(np.ceil(confidence * bins).astype(np.int64) - 1, 0, bins - 1)
    gap = np.bincount(bin_of, weights=right - confidence, minlength=bins)
    return float(np.abs(gap).sum() / len(truth))


def accuracy_interval(accuracy: float, count: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of an accuracy measured on ``count`` nodes.

    Equation: Wilson (1927), ``(p + z^2/2n -+ z sqrt(p (1-p)/n + z^2/4n^2)) / (1 + z^2/n)``.
    Deviation: nodes are taken as independent, which neighbours are not.
    Raises: InvalidInput if there is no node.
    """
    if count < 1:
        raise InvalidInput([Fault("count", "no node was measured")])
    share = _NORMAL_95**2 / count
    centre = accuracy + share / 2
    spread = math.sqrt(share * accuracy * (1 - accuracy) + share**2 / 4)
    low, high = ((centre + sign * spread) / (1 + share) for sign in (-1, 1))
    return max(0.0, min(low, accuracy)), min(1.0, max(high, accuracy))


def _ratio(part: float, whole: int) -> float:
    return part / whole if whole else math.nan
