"""New versions of a grid: what carries over from the version before by bus id."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from app.grid.difference import describe_difference
from app.grid.grid import UNKNOWN_CLASS, Grid, LabelSet
from app.grid.report import ReadGrid, VersionChange
from ml.arrays import IntArray


@dataclass(frozen=True, eq=False)
class Predecessor:
    """The version before: its id, family, grid and label sets."""

    graph_id: str
    family: str
    grid: Grid
    label_sets: Sequence[LabelSet]


def is_same_grid(before: Grid, after: Grid) -> bool:
    """Return whether a grid is probably an edited copy: at least half of the branches are equal.

    Branches are compared by the ids of their buses, in either direction; ids alone would not
    do, because buses are numbered from 1 on in most files.
    """
    pairs = _list_pairs(before), _list_pairs(after)
    most = max(map(len, pairs))
    if most == 0:
        return set(before.bus_ids) == set(after.bus_ids)
    return 2 * len(pairs[0] & pairs[1]) >= most


def carry_over(before: Predecessor, read: ReadGrid) -> ReadGrid:
    """Add the label sets and aliases that only the version before has, bus by bus.

    The report lists what was carried over and the difference between the versions.
    """
    previous = before.grid
    place = {bus_id: bus for bus, bus_id in enumerate(previous.bus_ids)}
    origin = np.array([place.get(bus_id, -1) for bus_id in read.grid.bus_ids], dtype=np.int64)
    names = {label_set.name for label_set in read.label_sets}
    carried = [
        _carry_labels(label_set, origin)
        for label_set in before.label_sets
        if label_set.name not in names
    ]
    kept = [labels for labels in carried if (labels.classes != UNKNOWN_CLASS).any()]
    aliases = {
        kind: tuple(names[bus] if bus >= 0 else "" for bus in origin)
        for kind, names in previous.aliases.items()
        if kind not in read.grid.aliases
    }
    grid = read.grid
    if aliases:
        grid = replace(grid, aliases=dict(grid.aliases) | aliases)
    change = VersionChange(
        of=before.graph_id,
        difference=describe_difference(previous, grid, before.label_sets, read.label_sets),
        labels_carried_over=[labels.name for labels in kept],
        aliases_carried_over=sorted(aliases),
    )
    report = msgspec.structs.replace(read.report, version=change)
    return ReadGrid(grid, (*read.label_sets, *kept), report)


def _list_pairs(grid: Grid) -> set[tuple[str, str]]:
    ids = grid.bus_ids
    ends = ((ids[one], ids[other]) for one, other in grid.ends.tolist())
    return {(one, other) if one <= other else (other, one) for one, other in ends}


def _carry_labels(label_set: LabelSet, origin: IntArray) -> LabelSet:
    classes = np.where(origin >= 0, label_set.classes[origin], UNKNOWN_CLASS)
    return replace(label_set, classes=classes.astype(np.int64))
