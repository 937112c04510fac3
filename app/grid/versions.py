"""A grid uploaded again: what carries over by bus id, and what has changed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from app.grid.difference import describe_difference
from app.grid.grid import UNKNOWN_CLASS, Grid, LabelSet, ReadGrid


@dataclass(frozen=True, eq=False)
class Predecessor:
    """The version before: its id, its family, its grid and label sets."""

    graph_id: str
    family: str
    grid: Grid
    label_sets: Sequence[LabelSet]


def carry_over(before: Predecessor, read: ReadGrid) -> ReadGrid:
    """Add the label sets and aliases that only the version before has, bus by bus.

    The report tells what was carried over and the difference between the versions.
    """
    previous = before.grid
    place = {bus_id: bus for bus, bus_id in enumerate(previous.bus_ids)}
    origin = np.array([place.get(bus_id, -1) for bus_id in read.grid.bus_ids], dtype=np.int64)
    known = {label_set.name for label_set in read.label_sets}
    carried = [_carry_labels(each, origin) for each in before.label_sets if each.name not in known]
    kept = [each for each in carried if (each.classes != UNKNOWN_CLASS).any()]
    aliases = {
        kind: tuple(names[bus] if bus >= 0 else "" for bus in origin)
        for kind, names in previous.aliases.items()
        if kind not in read.grid.aliases
    }
    grid = replace(read.grid, aliases=dict(read.grid.aliases) | aliases)
    change = {
        "of": before.graph_id,
        "difference": describe_difference(previous, grid, before.label_sets, read.label_sets),
        "labels_carried_over": [each.name for each in kept],
        "aliases_carried_over": sorted(aliases),
    }
    return ReadGrid(grid, (*read.label_sets, *kept), read.report | {"version": change})


def _carry_labels(label_set: LabelSet, origin: np.ndarray[Any, Any]) -> LabelSet:
    classes = np.where(origin >= 0, label_set.classes[origin], UNKNOWN_CLASS)
    return replace(label_set, classes=classes.astype(np.int64))
