"""Suitability report: whether the features or the graph carry the information of a label set."""

import msgspec
import numpy as np

from app.graphs.service import to_ml_graph
from app.grid.grid import UNKNOWN_CLASS, Grid, LabelSet
from app.grid.hidden_columns import list_hidden_columns, without_columns
from app.labels.leak_guard import ColumnScore, find_leaks
from ml import Split, fit_direct, get_method
from ml.arrays import IntArray

SMALLEST_CLASS = 3
_KNOWN_SHARE = 0.1
_DRAWS = 3
_DECIMALS = 4
_LEAK_SKILL = 0.8
_GRAPH_SKILL = 0.5
_LITTLE_SKILL = 0.1


class Suitability(msgspec.Struct, frozen=True, kw_only=True):
    """The report on one label set; see ``SuitabilityOut`` for the fields."""

    class_counts: dict[str, int]
    classes_too_small: list[str]
    majority: float
    adjusted_homophily: float | None
    label_propagation: float | None
    features_alone: float | None
    single_columns: list[ColumnScore]
    gives_away: list[str]
    verdict: str
    hidden: dict[str, str] = {}


def judge_suitability(grid: Grid, label_set: LabelSet) -> Suitability:
    """Measure a label set on the columns that it does not hide.

    Skill is the accuracy above that of the largest class, as a share of the room above it. A
    skill of 0.8 from the features alone means that they give the label away; a skill of 0.5 of
    label propagation from a tenth of the labels means that the graph carries the label.
    Cost: hundreds of small decision trees; see ``find_leaks``.
    """
    counts = label_set.class_counts()
    majority = max(counts.values()) / sum(counts.values())
    hidden = list_hidden_columns(grid, label_set)
    leaks = find_leaks(without_columns(grid, hidden), label_set.classes)
    spread = measure_propagation(grid, label_set)
    features_skill = _measure_skill(leaks.features_alone, majority)
    gives_away = leaks.columns if features_skill >= _LEAK_SKILL else []
    return Suitability(
        class_counts=counts,
        classes_too_small=[name for name, count in counts.items() if count < SMALLEST_CLASS],
        majority=round(majority, _DECIMALS),
        adjusted_homophily=measure_homophily(grid.ends, label_set.classes),
        label_propagation=spread,
        features_alone=leaks.features_alone,
        single_columns=leaks.single_columns,
        gives_away=gives_away,
        hidden=hidden,
        verdict=_write_verdict(features_skill, _measure_skill(spread, majority), gives_away),
    )


def measure_homophily(ends: IntArray, classes: IntArray) -> float | None:
    """Return how much more often a branch joins equal classes than by chance.

    Equation: Platonov et al. (2023), ``(h - sum p_k^2) / (1 - sum p_k^2)`` with the share
        ``h`` of edges inside a class and the share ``p_k`` of edge ends in class k.
    """
    pairs = classes[ends]
    pairs = pairs[(pairs != UNKNOWN_CLASS).all(axis=1)]
    if not len(pairs):
        return None
    shares = np.bincount(pairs.ravel()) / pairs.size
    chance = float(np.sum(shares**2))
    if chance >= 1:
        return None
    inside = float(np.mean(pairs[:, 0] == pairs[:, 1]))
    return round((inside - chance) / (1 - chance), _DECIMALS)


def measure_propagation(grid: Grid, label_set: LabelSet) -> float | None:
    """Return the mean accuracy of label propagation from a tenth of the labels."""
    labelled = np.flatnonzero(label_set.classes != UNKNOWN_CLASS)
    count = max(int(len(labelled) * _KNOWN_SHARE), len(label_set.class_names))
    if count >= len(labelled):
        return None
    graph = to_ml_graph(grid, label_set, ())
    method = get_method("label_propagation")
    scores = []
    for seed in range(_DRAWS):
        order = np.random.default_rng(seed).permutation(labelled)
        train, test = np.sort(order[:count]), np.sort(order[count:])
        split = Split(train, test[:0], test)
        probabilities, _ = fit_direct(method, graph, split, method.settings())
        predicted = probabilities[test].argmax(axis=1)
        scores.append(np.mean(predicted == label_set.classes[test]))
    return round(float(np.mean(scores)), _DECIMALS)


def _measure_skill(accuracy: float | None, majority: float) -> float:
    if accuracy is None or majority >= 1:
        return 0.0
    return (accuracy - majority) / (1 - majority)


def _write_verdict(features: float, graph: float, gives_away: list[str]) -> str:
    if features >= _LEAK_SKILL:
        columns = ", ".join(gives_away)
        carried = " The graph carries it too." if graph >= _GRAPH_SKILL else ""
        return (
            f"The features give this label away: a small decision tree on {columns} predicts it "
            f"without the graph. Leave these columns out, or a model only repeats a rule.{carried}"
        )
    if graph >= _GRAPH_SKILL and graph > features:
        return (
            "The graph carries this label: neighbours mostly share it, and the features alone do "
            "not predict it."
        )
    if max(features, graph) < _LITTLE_SKILL:
        return (
            "Neither the features nor the neighbours predict this label: a model can learn little."
        )
    return (
        "Neither the features nor the neighbours alone predict this label: a model can do better "
        "than both."
    )
