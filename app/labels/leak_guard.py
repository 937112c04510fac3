"""Leak guard: how well small decision trees predict a label from the features alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from app.grid.grid import UNKNOWN_CLASS, Grid
from ml.arrays import FloatArray, IntArray

_FOLDS = 5
_DEPTH = 4
_MOST_BUSES = 10_000
_FEWEST_BUSES = 3_000
_MOST_WORK = 1_000_000
"""Buses times classes, the cost of a tree: 10,000 buses with up to 100 classes."""
_MOST_COLUMNS = 16
_RANKING_BUSES = 2_000
_MOST_SHOWN = 8
_MARGIN = 0.01
"""Difference of accuracy up to which two sets of columns count as equally good."""
_DECIMALS = 4
_LARGEST = 1e30
"""The trees compute in float32, which ends at 3.4e38, and sum up a column."""


class ColumnScore(msgspec.Struct, frozen=True):
    """Accuracy of a tree on one column."""

    column: str
    accuracy: float


@dataclass(frozen=True, eq=False)
class Leaks:
    """Accuracy of trees without a graph, the fewest columns that reach it, and single columns."""

    features_alone: float | None
    columns: list[str]
    single_columns: list[ColumnScore]


def find_leaks(grid: Grid, classes: IntArray) -> Leaks:
    """Cross-validate trees of depth 4 on all features, on single columns, and on few columns.

    Deviation: of more than 16 features only the 16 best single ones are considered; of more
        than 10,000 buses (3,000 with 1,000 classes) a sample of that size is used.
    Cost: five trees for each of about 130 sets of columns; with more than 16 features also five
        trees on 2,000 buses per feature.
    """
    buses = _draw_buses(classes)
    targets = classes[buses]
    if len(buses) < 2 * _FOLDS or len(np.unique(targets)) < 2 or not grid.feature_names:
        return Leaks(None, [], [])
    kept = _choose_columns(grid.features[buses], targets)
    names = [grid.feature_names[column] for column in kept]
    features = grid.features[buses][:, kept]
    steps = _add_best_columns(features, targets)
    alone = max(_score(features, targets), *(score for _, score in steps))
    enough = [columns for columns, score in steps if score >= alone - _MARGIN]
    chosen = enough[0] if enough else list(range(features.shape[1]))
    leaking = _add_equals(features, targets, chosen, alone)
    columns = [names[column] for column in sorted(leaking)]
    shown = (*names, *grid.bus_columns.names)
    return Leaks(round(alone, _DECIMALS), columns, _score_columns(grid, shown, buses, targets))


def _draw_buses(classes: IntArray) -> IntArray:
    """Return the buses with a class: all of them, or a sample of bounded cost."""
    labelled = np.flatnonzero(classes != UNKNOWN_CLASS)
    class_count = int(classes.max(initial=0)) + 1
    most = min(_MOST_BUSES, max(_FEWEST_BUSES, _MOST_WORK // class_count))
    if len(labelled) > most:
        labelled = np.random.default_rng(0).choice(labelled, most, replace=False)
    return labelled


def _choose_columns(features: FloatArray, targets: IntArray) -> list[int]:
    """Return the 16 columns with the best single scores, in their order; all if they are fewer."""
    count = features.shape[1]
    if count <= _MOST_COLUMNS:
        return list(range(count))
    few = np.random.default_rng(0).permutation(len(targets))[:_RANKING_BUSES]
    single = [_score(features[few][:, [column]], targets[few]) for column in range(count)]
    return sorted(np.argsort(single)[::-1][:_MOST_COLUMNS].tolist())


def _add_best_columns(features: FloatArray, targets: IntArray) -> list[tuple[list[int], float]]:
    """Add the best further column, one at a time; return the columns and score of every step."""
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
    """Add every column that could replace one of the chosen."""
    equals = set(chosen)
    for position in range(len(chosen)):
        others = [*chosen[:position], *chosen[position + 1 :]]
        for column in set(range(features.shape[1])) - set(chosen):
            if _score(features[:, [*others, column]], targets) >= enough - 2 * _MARGIN:
                equals.add(column)
    return equals


def _score_columns(
    grid: Grid, names: Sequence[str], buses: IntArray, targets: IntArray
) -> list[ColumnScore]:
    scores = []
    for name in names:
        column = grid.find_column(name)
        if column is not None:
            score = _score(column[buses][:, np.newaxis], targets)
            scores.append(ColumnScore(name, round(score, _DECIMALS)))
    return sorted(scores, key=lambda score: -score.accuracy)[:_MOST_SHOWN]


def _score(features: FloatArray, targets: IntArray) -> float:
    """Return the out-of-fold accuracy of a small tree.

    The tree also sees whether a value is zero, because "Pd is not zero" is one rule for a
    person and two splits for a tree.
    """
    from sklearn.model_selection import PredefinedSplit, cross_val_predict
    from sklearn.tree import DecisionTreeClassifier

    features = np.hstack([np.clip(features, -_LARGEST, _LARGEST), features != 0])
    fold = np.random.default_rng(0).permutation(len(targets)) % _FOLDS
    tree = DecisionTreeClassifier(max_depth=_DEPTH, random_state=0)
    predicted = cross_val_predict(tree, features, targets, cv=PredefinedSplit(fold))
    return float(np.mean(predicted == targets))
