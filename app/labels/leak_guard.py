"""The leak guard: how well small trees on the features alone predict a label."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.grid.grid import UNKNOWN_CLASS, Grid
from ml.arrays import FloatArray, IntArray

_FOLDS = 5
_DEPTH = 4
_MOST_BUSES = 10_000
_FEWEST_BUSES = 3_000
_MOST_WORK = 1_000_000
"""Buses times classes, which is what a tree costs: every bus of 10,000 up to 100 classes."""
_MOST_COLUMNS = 16
_RANKING_BUSES = 2_000
_MOST_SHOWN = 8
_MARGIN = 0.01
"""Accuracy that choosing another column may cost before it counts as a worse one."""
_DECIMALS = 4
_LARGEST = 1e30
"""The trees count in float32, which ends at 3.4e38, and sum a column up."""


@dataclass(frozen=True, eq=False)
class Leaks:
    """What trees without a graph achieve, and the fewest columns that are enough for it."""

    features_alone: float | None
    columns: list[str]
    single_columns: list[dict[str, Any]]


def find_leaks(grid: Grid, classes: IntArray) -> Leaks:
    """Cross-validate trees of depth 4 on all features, on single columns, on the fewest.

    Deviation: of more than 16 features only the 16 that tell most on their own are looked at;
        of more than 10,000 buses (3,000 with 1,000 classes) so many are drawn.
    Cost: five trees for each of about 130 sets of columns, and for each column beyond 16 five
        of 2,000 buses.
    """
    known = _draw_buses(classes)
    targets = classes[known]
    if len(known) < 2 * _FOLDS or len(np.unique(targets)) < 2 or not grid.feature_names:
        return Leaks(None, [], [])
    kept = _choose_columns(grid.features[known], targets)
    names = [grid.feature_names[column] for column in kept]
    features = grid.features[known][:, kept]
    steps = _add_best_columns(features, targets)
    alone = max(_score(features, targets), *(score for _, score in steps))
    enough = [columns for columns, score in steps if score >= alone - _MARGIN]
    chosen = enough[0] if enough else list(range(features.shape[1]))
    found = _add_equals(features, targets, chosen, alone)
    columns = [names[column] for column in sorted(found)]
    shown = (*names, *grid.bus_columns.names)
    return Leaks(round(alone, _DECIMALS), columns, _score_columns(grid, shown, known, targets))


def _draw_buses(classes: IntArray) -> IntArray:
    """Return buses whose class is known: all, or as many as trees can bear."""
    known = np.flatnonzero(classes != UNKNOWN_CLASS)
    class_count = int(classes.max(initial=0)) + 1
    most = min(_MOST_BUSES, max(_FEWEST_BUSES, _MOST_WORK // class_count))
    if len(known) > most:
        known = np.random.default_rng(0).choice(known, most, replace=False)
    return known


def _choose_columns(features: FloatArray, targets: IntArray) -> list[int]:
    """Return the columns that tell most on their own, in their order; all if they are few."""
    count = features.shape[1]
    if count <= _MOST_COLUMNS:
        return list(range(count))
    few = np.random.default_rng(0).permutation(len(targets))[:_RANKING_BUSES]
    single = [_score(features[few][:, [column]], targets[few]) for column in range(count)]
    return sorted(np.argsort(single)[::-1][:_MOST_COLUMNS].tolist())


def _add_best_columns(features: FloatArray, targets: IntArray) -> list[tuple[list[int], float]]:
    """Add the column that helps most, one after the other; return every step and its score."""
    single = [_score(features[:, [column]], targets) for column in range(features.shape[1])]
    candidates = np.argsort(single)[::-1][:_MOST_SHOWN].tolist()
    chosen: list[int] = []
    steps: list[tuple[list[int], float]] = []
    while candidates:
        scores = [_score(features[:, [*chosen, column]], targets) for column in candidates]
        chosen = [*chosen, candidates.pop(int(np.argmax(scores)))]
        steps.append((chosen, max(scores)))
    return steps


def _add_equals(
    features: FloatArray, targets: IntArray, chosen: Sequence[int], enough: float
) -> set[int]:
    """Add every column that could stand in for one of the chosen."""
    found = set(chosen)
    for position in range(len(chosen)):
        others = [*chosen[:position], *chosen[position + 1 :]]
        for column in set(range(features.shape[1])) - set(chosen):
            if _score(features[:, [*others, column]], targets) >= enough - 2 * _MARGIN:
                found.add(column)
    return found


def _score_columns(
    grid: Grid, names: Sequence[str], known: IntArray, targets: IntArray
) -> list[dict[str, Any]]:
    scores = []
    for name in names:
        column = grid.find_column(name)
        if column is not None:
            score = _score(column[known][:, np.newaxis], targets)
            scores.append({"column": name, "accuracy": round(score, _DECIMALS)})
    return sorted(scores, key=lambda each: -float(str(each["accuracy"])))[:_MOST_SHOWN]


def _score(features: FloatArray, targets: IntArray) -> float:
    """Return the accuracy of a small tree on buses it has not seen.

    The tree also sees whether a value is zero, because "Pd is not zero" is one rule to a
    person and two splits to a tree.
    """
    from sklearn.tree import DecisionTreeClassifier

    features = np.hstack([np.clip(features, -_LARGEST, _LARGEST), features != 0])
    fold = np.random.default_rng(0).permutation(len(targets)) % _FOLDS
    right = 0
    for number in range(_FOLDS):
        train, test = fold != number, fold == number
        tree = DecisionTreeClassifier(max_depth=_DEPTH, random_state=0)
        tree.fit(features[train], targets[train])
        right += int(np.count_nonzero(tree.predict(features[test]) == targets[test]))
    return right / len(targets)
