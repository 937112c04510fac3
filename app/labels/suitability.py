"""Whether labels are worth learning: what the features give away, what the graph carries."""

import hashlib
from typing import Any

import msgspec
import numpy as np

from app.errors import TooManyMeasurements
from app.graphs.service import to_ml_graph
from app.grid.grid import UNKNOWN_CLASS, Grid, LabelSet
from app.http.admission import AdmissionLimit
from app.labels.leak_guard import find_leaks
from app.storage.cache import BoundedCache
from ml import Split, fit_direct, get_method
from ml.arrays import IntArray

SMALLEST_CLASS = 3
_KNOWN_SHARE = 0.1
_DRAWS = 3
_DECIMALS = 4
_LEAK_SKILL = 0.8
_GRAPH_SKILL = 0.5
_REPORTS_REMEMBERED = 256
_reports: BoundedCache[dict[str, Any]] = BoundedCache(_REPORTS_REMEMBERED)
_admission = AdmissionLimit(concurrent=1, admitted=4)
"""A measurement keeps a processor busy for up to a minute."""


def recall_suitability(content_hash: str, grid: Grid, label_set: LabelSet) -> dict[str, Any]:
    """Measure a label set of the grid of this content, or remember what was measured.

    Raises: TooManyMeasurements if too many wait already.
    """
    key = f"{content_hash} {_hash_labels(label_set)}"
    known = _reports.find(key)
    if known is not None:
        return known
    refusal = TooManyMeasurements("Too many labels are being measured; try again in a moment.")
    with _admission.admit(refusal):
        return _reports.get_or_load(key, lambda: judge_suitability(grid, label_set))


def judge_suitability(grid: Grid, label_set: LabelSet) -> dict[str, Any]:
    """Measure a label set; see ``SuitabilityOut``.

    Skill is accuracy above that of the largest class, as a share of what is left above it:
    the features give a label away from a skill of 0.8 on; the graph carries one that spreading
    a tenth of it recovers with a skill of 0.5.
    """
    counts = label_set.class_counts()
    classes = label_set.classes
    known = np.flatnonzero(classes != UNKNOWN_CLASS)
    majority = max(counts.values()) / len(known)
    leaks = find_leaks(grid, classes)
    spread = measure_propagation(grid, label_set)
    features_skill = _skill(leaks.features_alone, majority)
    gives_away = leaks.columns if features_skill >= _LEAK_SKILL else []
    return {
        "class_counts": counts,
        "classes_too_small": [name for name, count in counts.items() if count < SMALLEST_CLASS],
        "majority": round(majority, _DECIMALS),
        "adjusted_homophily": measure_homophily(grid.ends, classes),
        "label_propagation": spread,
        "features_alone": leaks.features_alone,
        "single_columns": leaks.single_columns,
        "gives_away": gives_away,
        "verdict": _tell_verdict(features_skill, _skill(spread, majority), gives_away),
    }


def measure_homophily(ends: IntArray, classes: IntArray) -> float | None:
    """Return how much more often a branch joins equal classes than chance would.

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
    known = np.flatnonzero(label_set.classes != UNKNOWN_CLASS)
    count = max(int(len(known) * _KNOWN_SHARE), len(label_set.class_names))
    if count >= len(known):
        return None
    graph = to_ml_graph(grid, label_set, ())
    method = get_method("label_propagation")
    scores = []
    for seed in range(_DRAWS):
        order = np.random.default_rng(seed).permutation(known)
        train, test = np.sort(order[:count]), np.sort(order[count:])
        split = Split(train, test[:0], test)
        probabilities, _ = fit_direct(method, graph, split, method.settings())
        classes = probabilities[test].argmax(axis=1)
        scores.append(np.mean(classes == label_set.classes[test]))
    return round(float(np.mean(scores)), _DECIMALS)


def _hash_labels(label_set: LabelSet) -> str:
    """Tell label sets apart by what they say: a grid sent again may get others of this name."""
    content = msgspec.msgpack.encode((label_set.class_names, label_set.classes.tobytes()))
    return hashlib.sha256(content).hexdigest()


def _skill(accuracy: float | None, majority: float) -> float:
    if accuracy is None or majority >= 1:
        return 0.0
    return (accuracy - majority) / (1 - majority)


def _tell_verdict(features: float, graph: float, gives_away: list[str]) -> str:
    if features >= _LEAK_SKILL:
        columns = ", ".join(gives_away)
        carried = " The graph carries it too." if graph >= _GRAPH_SKILL else ""
        return (
            f"The features give this label away: a small tree on {columns} knows it without "
            f"the graph. Leave these columns out, or the model only repeats a rule.{carried}"
        )
    if graph >= _GRAPH_SKILL and graph > features:
        return "The graph carries this label: neighbours mostly share it, the features do not tell."
    if max(features, graph) < 0.1:
        return "Neither the features nor the neighbours tell this label: little can be learnt."
    return "Neither the features nor the neighbours alone tell this label: a model can add to both."
