"""Columns that a feature method is trained on: own and neighbouring features, places, scores."""

from collections.abc import Sequence

import numpy as np

from ml.arrays import FloatArray, IntArray
from ml.graph.laplacian import degrees_of
from ml.graph.scaling import fit_scaling
from ml.training.selection.edges import NARROW_FEATURES, list_weightings, weigh
from ml.training.selection.problem import LabelProblem
from ml.training.selection.propagation import Precision, Spreading, hold_out, spread_labels

MOST_EXACT_LABELS = 1500
"""Up to here label scores leave out one node at a time; above, a tenth of the nodes."""
_NOBODY: IntArray = np.zeros(0, dtype=np.int64)
"""No training nodes, for columns that do not depend on labels."""
_SCORES = (
    Spreading(alpha=0.9999, readout="clamped", balanced=True),
    Spreading(alpha=0.9, sigma=0.0),
)
_SCORES_OF_MANY = (Spreading(alpha=0.99, sigma=0.0), Spreading(alpha=0.9, sigma=0.0))


class FeatureParts:
    """Makes the columns of a problem; those that do not depend on labels are made once.

    ``own`` are the scaled features and the degree, ``neighbours`` their means over the
    neighbours, ``near`` and ``far`` their averages under a walk of alpha 0.5 and 0.9,
    ``places`` the coordinates, ``branches`` what the branches at a node are like,
    ``other_branches`` those at its neighbours, ``scores`` what the labels of other nodes say.
    """

    def __init__(self, problem: LabelProblem) -> None:
        self._problem = problem
        self._kept: dict[str, FloatArray] = {}
        self._precisions: dict[float, Precision] = {}

    @property
    def wide(self) -> bool:
        """True if the features are many, as words are."""
        return bool(self._problem.graph.features.shape[1] > NARROW_FEATURES)

    def make(self, parts: Sequence[str], train: IntArray) -> FloatArray:
        """Return the named parts side by side; ``scores`` come from the labels of ``train``.

        Shapes: train (t,) positions -> (N, columns).
        """
        return np.concatenate([self._part(name, train) for name in parts], axis=1)

    def fixed(self, name: str) -> FloatArray:
        """Return a part that does not depend on labels. Shapes: (N, columns)."""
        return self._part(name, _NOBODY)

    def _part(self, name: str, train: IntArray) -> FloatArray:
        if name == "scores":
            return self._scores(train)
        if name not in self._kept:
            self._kept[name] = self._make_fixed(name)
        return self._kept[name]

    def _make_fixed(self, name: str) -> FloatArray:
        problem = self._problem
        given = {"places": problem.places, "branches": problem.branches}
        if name in given:
            columns = given[name]
            return np.zeros((problem.graph.node_count, 0)) if columns is None else columns
        if name == "features":
            return self._scale()
        if name == "other_branches":
            return self._average_neighbours(self._part("branches", _NOBODY))
        features = self._part("features", _NOBODY)
        if name == "neighbours":
            return self._average_neighbours(features)
        if name == "own":
            degrees = degrees_of(problem.graph.adjacency)[:, None]
            return features if self.wide else np.concatenate([features, degrees], axis=1)
        return self._average_far(features, {"near": 0.5, "far": 0.9}[name])

    def _average_far(self, columns: FloatArray, alpha: float) -> FloatArray:
        """Return the averages under a walk that goes on with probability ``alpha``, (N, Q)."""
        precision = Precision(self._problem.graph.adjacency, alpha)
        lifted = np.where(precision.degrees > 0, precision.degrees, 1.0)[:, None]
        return (1 - alpha) * precision.solve(lifted * columns)

    def _average_neighbours(self, columns: FloatArray) -> FloatArray:
        """Return the mean over the neighbours of each node, by the weights. Shapes: (N, Q)."""
        adjacency = self._problem.graph.adjacency
        total = np.asarray(adjacency @ columns)
        return total / np.maximum(degrees_of(adjacency)[:, None], 1e-12)

    def _scale(self) -> FloatArray:
        features = self._problem.graph.features
        if not self.wide:
            return fit_scaling(features, "quantile").transform(features)
        lengths = np.linalg.norm(features, axis=1, keepdims=True)
        return np.asarray(features / np.maximum(lengths, 1e-12))

    def _scores(self, train: IntArray) -> FloatArray:
        """Return label scores of two reaches; a training node never sees its own label.

        Shapes: (N, 2 K).
        """
        graph = self._problem.graph
        labels = np.eye(graph.class_count)[graph.labels[train]]
        exact = len(train) <= MOST_EXACT_LABELS
        blocks = []
        for spreading in list_score_spreadings(exact=exact):
            precision = self.precision(spreading.alpha)
            block = spread_labels(precision, train, labels, spreading)
            if exact:
                alone = np.arange(len(train))
                responses = precision.respond(train)
                block[train] = hold_out(responses, labels, alone, spreading)
            else:
                block[train] = _hide_tenths(precision, train, labels, spreading)
            blocks.append(block)
        return np.concatenate(blocks, axis=1)

    def precision(self, alpha: float) -> Precision:
        """Return the factorised matrix of the default edge weights, made once per alpha."""
        if alpha not in self._precisions:
            default = list_weightings(self._problem)[0]
            self._precisions[alpha] = Precision(weigh(self._problem, default), alpha)
        return self._precisions[alpha]


def list_score_spreadings(*, exact: bool) -> tuple[Spreading, ...]:
    """Return the spreadings of the label scores; ``exact`` leaves out one node at a time."""
    return _SCORES if exact else _SCORES_OF_MANY


def hide_tenth_of(place: int, count: int) -> IntArray:
    """Return the places of all training nodes that are hidden together with one of them."""
    part = _number_tenths(count)
    return np.flatnonzero(part == part[place])


def _number_tenths(count: int) -> IntArray:
    return np.asarray(np.random.default_rng(0).permutation(count) % 10)


def _hide_tenths(
    precision: Precision, train: IntArray, labels: FloatArray, spreading: Spreading
) -> FloatArray:
    """Return label scores of the training nodes, a tenth of them hidden at a time. (t, K)."""
    answer = np.zeros_like(labels)
    part = _number_tenths(len(train))
    for hidden in (part == number for number in range(10)):
        shown = train[~hidden]
        answer[hidden] = spread_labels(precision, shown, labels[~hidden], spreading)[train[hidden]]
    return answer
