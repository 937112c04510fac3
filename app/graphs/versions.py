"""A grid uploaded again: what carries over by bus id, and what has changed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from app.ingest.grid import UNKNOWN_CLASS, Grid, LabelSet, ReadGrid

_MOST_SHOWN = 20
_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Predecessor:
    """The version before: its id, number, grid and label sets."""

    graph_id: str
    number: int
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
        "number": before.number + 1,
        "difference": describe_difference(previous, grid),
        "labels_carried_over": [each.name for each in kept],
        "aliases_carried_over": sorted(aliases),
    }
    return ReadGrid(grid, (*read.label_sets, *kept), read.report | {"version": change})


def describe_difference(before: Grid, after: Grid) -> dict[str, Any]:
    """Say which buses and branches came and went, and which features changed at how many."""
    old, new = set(before.bus_ids), set(after.bus_ids)
    old_pairs, new_pairs = _count_pairs(before), _count_pairs(after)
    return {
        "buses_added": _some(bus for bus in after.bus_ids if bus not in old),
        "buses_removed": _some(bus for bus in before.bus_ids if bus not in new),
        "branches_added": _some(_name_pairs(new_pairs - old_pairs)),
        "branches_removed": _some(_name_pairs(old_pairs - new_pairs)),
        "features_changed": _count_changes(before, after),
    }


def _carry_labels(label_set: LabelSet, origin: np.ndarray[Any, Any]) -> LabelSet:
    classes = np.where(origin >= 0, label_set.classes[origin], UNKNOWN_CLASS)
    return replace(label_set, classes=classes.astype(np.int64))


def _count_pairs(grid: Grid) -> Counter[tuple[str, str]]:
    ids = grid.bus_ids
    pairs = ((ids[source], ids[target]) for source, target in grid.ends.tolist())
    return Counter((min(pair), max(pair)) for pair in pairs)


def _name_pairs(pairs: Counter[tuple[str, str]]) -> list[str]:
    return [f"{source}-{target}" for source, target in sorted(pairs.elements())]


def _count_changes(before: Grid, after: Grid) -> Mapping[str, int]:
    place = {bus_id: bus for bus, bus_id in enumerate(before.bus_ids)}
    shared = [(place[bus_id], bus) for bus, bus_id in enumerate(after.bus_ids) if bus_id in place]
    old, new = np.array(shared, dtype=np.int64).reshape(-1, 2).T
    changes = {}
    for name in after.feature_names:
        former, latter = before.find_column(name), after.find_column(name)
        if former is not None and latter is not None:
            changed = ~np.isclose(former[old], latter[new], rtol=_TOLERANCE, atol=_TOLERANCE)
            changes[name] = int(np.count_nonzero(changed))
    return {name: count for name, count in changes.items() if count}


def _some(found: Any) -> dict[str, Any]:
    listed = list(found)
    return {"count": len(listed), "first": listed[:_MOST_SHOWN]}
