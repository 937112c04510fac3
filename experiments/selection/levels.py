"""How many labels are known, and which nodes have them."""

from dataclasses import dataclass

import numpy as np

from experiments.selection.tasks import PanelTask
from ml.arrays import IntArray
from ml.graph.graph import UNLABELLED


@dataclass(frozen=True)
class LabelLevel:
    """A number of known labels: so many per class, or a fraction of the labelled nodes."""

    key: str
    title: str
    per_class: int = 0
    fraction: float = 0.0


LEVELS = (
    *(LabelLevel(f"{count}_per_class", f"{count} per class", count) for count in (1, 2, 5, 10)),
    *(LabelLevel(f"{part}_percent", f"{part} %", fraction=part / 100) for part in (2, 10, 50)),
)


def find_obstacle(labels: IntArray, level: LabelLevel) -> str | None:
    """Return why a level makes no sense for these labels, None if it does."""
    counts = np.bincount(labels[labels != UNLABELLED])
    counts = counts[counts > 0]
    if level.per_class:
        enough = int((counts >= 2 * level.per_class).sum())
        if 2 * enough < len(counts):
            return f"{len(counts) - enough} of {len(counts)} classes have fewer than twice as many"
        return None
    known = round(level.fraction * counts.sum())
    if known < len(counts):
        return f"{known} labels for {len(counts)} classes"
    return None


def draw_known(
    labels: IntArray, groups: IntArray | None, task: PanelTask, level: LabelLevel, seed: int
) -> IntArray:
    """Draw the nodes whose labels are known; the levels of one seed contain each other.

    A level per class takes at most half of a class. With whole substations, substations are
    taken in random order until the number is reached: per class, those that add to a class that
    is not complete yet. A draw with a single class is repeated.

    Shapes: labels (N,), groups (N,) -> positions (n,), ascending.
    """
    generator = np.random.default_rng([seed, 13])
    units = np.arange(len(labels))
    if task.drawing == "substations" and groups is not None:
        units = groups
    while True:
        order = generator.permutation(int(units.max()) + 1)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        nodes = np.flatnonzero(labels != UNLABELLED)
        nodes = nodes[np.argsort(rank[units[nodes]], kind="stable")]
        known = _take(nodes, labels, units, level)
        if len(np.unique(labels[known])) > 1:
            return np.sort(known)


def _take(nodes: IntArray, labels: IntArray, units: IntArray, level: LabelLevel) -> IntArray:
    """Take nodes unit by unit, in the given order."""
    members = np.bincount(labels[nodes])
    wanted = np.minimum(level.per_class, np.maximum(members // 2, 1)) * (members > 0)
    total = max(2, round(level.fraction * len(nodes)))
    starts = np.flatnonzero(np.diff(units[nodes], prepend=-1))
    taken: list[IntArray] = []
    counts = np.zeros_like(members)
    for unit in np.split(nodes, starts[1:]):
        classes = labels[unit]
        if level.per_class:
            if (counts[classes] < wanted[classes]).any():
                taken.append(unit)
                counts += np.bincount(classes, minlength=len(counts))
        elif counts.sum() < total:
            taken.append(unit)
            counts += np.bincount(classes, minlength=len(counts))
    return np.concatenate(taken)
