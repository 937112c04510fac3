"""What every column, or every nearest neighbour, contributes to the answer of a feature method."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy.special import softmax

from ml.arrays import FloatArray, IntArray
from ml.artifact.artifact import Tensors
from ml.artifact.trees import NodeArrays
from ml.explain.part import ExplainedPart
from ml.explain.spreading import GivenLabels, LabelRows, explain_spreading
from ml.training.selection.columns import (
    MOST_EXACT_LABELS,
    FeatureParts,
    hide_tenth_of,
    list_score_spreadings,
)
from ml.training.selection.problem import LabelProblem
from ml.training.selection.propagation import Spreading
from ml.training.selection.tabular import weigh_neighbours

SpreadBy = Callable[[Spreading, IntArray], LabelRows]
"""Spreading and labelled nodes -> the rows by which their labels spread."""


class NodeColumns:
    """The columns of a feature method at one node, with their names.

    They equal a row of ``FeatureParts.make``; label scores need one solve each instead of one
    per class and label.
    """

    def __init__(self, problem: LabelProblem, spread_by: SpreadBy) -> None:
        self._problem = problem
        self._parts = FeatureParts(problem)
        self._spread_by = spread_by

    def read(self, parts: tuple[str, ...], node: int) -> tuple[FloatArray, tuple[str, ...]]:
        """Return the columns of the named parts at a node, and their names."""
        values, names = [], []
        for part in parts:
            row = self._read_scores(node) if part == "scores" else self._parts.fixed(part)[node]
            values.append(row)
            names += self._name_columns(part, len(row))
        return np.concatenate(values), tuple(names)

    def make_whole(self, part: str) -> FloatArray:
        """Return a part that does not depend on labels, for every node."""
        return self._parts.fixed(part)

    def _read_scores(self, node: int) -> FloatArray:
        problem = self._problem
        known = GivenLabels(problem.known, problem.truth, problem.graph.class_count)
        exact = len(known.nodes) <= MOST_EXACT_LABELS
        if node in known.nodes:
            place = int(np.flatnonzero(known.nodes == node)[0])
            hidden = [place] if exact else hide_tenth_of(place, len(known.nodes))
            known = known.hide(known.nodes[hidden])
        described = {"method": "", "title": ""}
        rows = []
        for one in list_score_spreadings(exact=exact):
            spread = self._spread_by(one, known.nodes)
            part = explain_spreading(spread, known, node, described, balanced=one.balanced)
            rows.append(np.asarray(part.probabilities))
        return np.concatenate(rows)

    def _name_columns(self, part: str, count: int) -> list[str]:
        graph = self._problem.graph
        features = list(graph.feature_names)
        if part == "own":
            return [*features, "degree"][:count]
        if part == "places":
            return ["latitude", "longitude"][:count]
        if part == "scores":
            far = [f"labels far around: {name}" for name in graph.class_names]
            return far + [f"labels near around: {name}" for name in graph.class_names]
        if part in ("branches", "other_branches"):
            where = "branches at the bus" if part == "branches" else "branches at its neighbours"
            return [f"{where}, column {number + 1}" for number in range(count)]
        where = {"neighbours": "neighbours", "near": "near around", "far": "far around"}[part]
        return [f"{name}, mean of {where}" for name in features]


def explain_trees(
    nodes: NodeArrays,
    row: FloatArray,
    names: tuple[str, ...],
    target: int,
    described: Mapping[str, Any],
) -> ExplainedPart:
    """Return what each column contributes along the paths through the trees.

    Equation: Saabas (2014): the prediction of a tree is the class frequency at its root plus,
        per step down, the change of the frequency, which the column of that step is given.
    Shapes: row (Q,).
    """
    shares, count = nodes["shares"], len(nodes["roots"])
    values = np.zeros(len(row))
    scores = np.zeros(shares.shape[1])
    single = row.astype(np.float32)
    for root in nodes["roots"].tolist():
        place = root
        while nodes["left"][place] >= 0:
            column = int(nodes["feature"][place])
            side = "left" if single[column] <= nodes["threshold"][place] else "right"
            child = int(nodes[side][place])
            values[column] += (shares[child, target] - shares[place, target]) / count
            place = child
        scores += shares[place] / count
    base = float(shares[nodes["roots"], target].mean())
    return ExplainedPart(
        kind="columns",
        **described,
        scores=scores,
        probabilities=scores,
        base=base,
        values=values,
        columns=names,
        inputs=row,
    )


def explain_logistic(
    tensors: Tensors,
    row: FloatArray,
    names: tuple[str, ...],
    target: int,
    described: Mapping[str, Any],
) -> ExplainedPart:
    """Return coefficient times value of each column; the base is the intercept."""
    weights, bias = tensors["weights"], tensors["bias"]
    scores = weights @ row + bias
    return ExplainedPart(
        kind="columns",
        **described,
        scores=scores,
        probabilities=softmax(scores),
        base=float(bias[target]),
        values=weights[target] * row,
        columns=names,
        inputs=row,
    )


def explain_nearest(
    tensors: Tensors,
    columns: FloatArray,
    node: int,
    neighbours: int,
    known: GivenLabels,
    described: Mapping[str, Any],
) -> ExplainedPart:
    """Return the votes of the nearest labelled nodes; they sum to one.

    Shapes: columns (N, Q).
    """
    count = min(neighbours, len(tensors["rows"]))
    found, votes, distances = weigh_neighbours(tensors["rows"], columns, count)
    shares = votes[node] / votes[node].sum()
    classes = tensors["labels"][found[node]]
    voters = GivenLabels(known.nodes[found[node]], classes, known.class_count)
    scores = voters.sum_classes(shares)
    return ExplainedPart(
        kind="neighbours",
        **described,
        scores=scores,
        probabilities=scores,
        values=shares,
        nodes=voters.nodes,
        classes=classes,
        inputs=distances[node],
    )
