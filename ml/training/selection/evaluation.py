"""Evaluate a candidate out of fold, and refit it on every known label."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ml.arrays import FloatArray, IntArray
from ml.artifact.artifact import Artifact, Tensors
from ml.levy.dense import fractional_laplacian
from ml.training.selection.candidates import Candidate
from ml.training.selection.columns import MOST_EXACT_LABELS, FeatureParts
from ml.training.selection.edges import weigh
from ml.training.selection.folds import FoldPlan, assign_folds
from ml.training.selection.problem import LabelProblem
from ml.training.selection.propagation import (
    Precision,
    Responses,
    Spreading,
    hold_out,
    hold_out_by_fold,
    spread_labels,
)
from ml.training.selection.smoothing import correct_and_smooth
from ml.training.selection.tabular import fit_tabular


@dataclass(frozen=True, eq=False)
class Refit:
    """A candidate trained on every known label: its answer and the arrays that serve it.

    ``artifact`` is the stored form of a network.

    Shapes: probabilities (N, K).
    """

    probabilities: FloatArray
    tensors: Tensors
    artifact: Artifact | None = None


class Evaluator:
    """Evaluates candidates on the folds of a problem, sharing what they have in common.

    The last factorisation and the last fractional power are kept, so candidates that differ in
    read-out only should follow each other.
    """

    def __init__(self, problem: LabelProblem, folds: IntArray) -> None:
        """Take the fold of each known node per repetition, (R, n)."""
        self.problem = problem
        self.folds = folds
        self._columns = FeatureParts(problem)
        self._last: tuple[tuple[Any, ...], Precision, Responses | None] | None = None
        self._power: tuple[tuple[Any, ...], FloatArray] | None = None

    def hold_out(self, candidate: Candidate, repeat: int) -> FloatArray:
        """Return the out-of-fold probabilities of one repetition. Shapes: (n, K)."""
        folds = self.folds[repeat]
        if candidate.family == "propagation":
            return self._propagate(candidate, folds)
        known = self.problem.known
        answer = np.zeros_like(self.problem.indicator)
        for fold in np.unique(folds):
            hidden = folds == fold
            answer[hidden] = self._fit(candidate, known[~hidden])[0][known[hidden]]
        return answer

    def train_on_fold(self, candidate: Candidate, fold: int) -> FloatArray:
        """Train a network without one fold of the first repetition; answer for that fold.

        Shapes: (S, nodes of the fold, K), one answer per number of epochs.
        """
        from ml.training.selection.networks import configure, train_epochs

        hidden = self.folds[0] == fold
        known, settings = self.problem.known, candidate.settings
        config = configure(settings, self.problem.seed)
        stops = settings["stops"]
        answers, _ = train_epochs(self.problem.graph, known[~hidden], config, stops)
        return answers[:, known[hidden]]

    def refit(self, candidate: Candidate) -> Refit:
        """Train a candidate on every known label; a network as long as its last stop says."""
        problem = self.problem
        if candidate.family == "propagation":
            precision, _ = self._factorise(candidate.settings)
            spreading = Spreading.from_settings(candidate.settings)
            scores = spread_labels(precision, problem.known, problem.indicator, spreading)
            return Refit(scores, {"scores": scores})
        if candidate.family == "network":
            from ml.training.selection.networks import configure, train_epochs

            config = configure(candidate.settings, problem.seed)
            stops = candidate.settings["stops"][-1:]
            answers, artifact = train_epochs(problem.graph, problem.known, config, stops)
            return Refit(answers[-1], artifact.tensors(), artifact)
        return Refit(*self._fit(candidate, problem.known))

    def _propagate(self, candidate: Candidate, folds: IntArray) -> FloatArray:
        precision, responses = self._factorise(candidate.settings)
        spreading = Spreading.from_settings(candidate.settings)
        labels = self.problem.indicator
        if responses is None:
            return hold_out_by_fold(precision, self.problem.known, labels, folds, spreading)
        return hold_out(responses, labels, folds, spreading)

    def _factorise(self, settings: dict[str, Any]) -> tuple[Precision, Responses | None]:
        key = (settings["edges"], settings["gamma"], settings["alpha"])
        if self._last is None or self._last[0] != key:
            adjacency = weigh(self.problem, settings["edges"])
            power = None
            if settings["gamma"] < 1:
                if self._power is None or self._power[0] != key[:2]:
                    self._power = (key[:2], fractional_laplacian(adjacency, settings["gamma"]))
                power = self._power[1]
            precision = Precision(adjacency, settings["alpha"], settings["gamma"], power)
            few = len(self.problem.known) <= MOST_EXACT_LABELS
            responses = precision.respond(self.problem.known) if few else None
            self._last = (key, precision, responses)
        return self._last[1], self._last[2]

    def _fit(self, candidate: Candidate, train: IntArray) -> tuple[FloatArray, Tensors]:
        settings, problem = candidate.settings, self.problem
        columns = self._columns.make(settings["parts"], train)
        fitted = fit_tabular(
            candidate.method, settings, columns, problem.graph, train, problem.seed
        )
        alpha = settings.get("smooth")
        if alpha is None:
            return fitted.probabilities, fitted.tensors
        labels = np.eye(problem.graph.class_count)[problem.graph.labels[train]]
        precision = self._columns.precision(alpha)
        smoothed = correct_and_smooth(
            precision, alpha, train, labels, fitted.probabilities, fitted.unseen
        )
        return smoothed, fitted.tensors


def measure_ungrouped(
    problem: LabelProblem,
    plan: FoldPlan,
    candidates: Sequence[Candidate],
    weigh_answers: Callable[[list[FloatArray]], FloatArray],
) -> float | None:
    """Return the out-of-fold accuracy of some candidates when folds may divide a group.

    None if no group has two known nodes, or if a candidate is a network, which takes long.
    """
    groups = problem.known_groups
    trained = any(one.family == "network" for one in candidates)
    if groups is None or trained or len(np.unique(groups)) == len(groups):
        return None
    alone = replace(problem, groups=None)
    evaluator = Evaluator(alone, assign_folds(alone, FoldPlan(plan.folds, 1)))
    answer = weigh_answers([evaluator.hold_out(one, 0) for one in candidates])
    return float((answer.argmax(axis=1) == problem.truth).mean())
