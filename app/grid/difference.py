"""Difference between two grids: buses, branches, columns and labels that changed."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TypeAlias

import msgspec
import numpy as np

from app.grid.grid import UNKNOWN_CLASS, Grid, LabelSet
from app.grid.listing import Listing, make_listing
from ml.arrays import FloatArray, IntArray

_TOLERANCE = 1e-9
_Pair: TypeAlias = tuple[str, str]


class LargestChange(msgspec.Struct, frozen=True):
    """The largest change of a column: where, and from which number to which."""

    at: str
    before: float = msgspec.field(name="from")
    after: float = msgspec.field(name="to")


class ColumnChange(Listing, frozen=True):
    """The rows in which a column changed."""

    largest: LargestChange


class GridDifference(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that differs between two grids; names of branches are ``from-to``."""

    buses_added: Listing
    buses_removed: Listing
    branches_added: Listing
    branches_removed: Listing
    features_changed: dict[str, ColumnChange]
    branch_columns_changed: dict[str, ColumnChange]
    labels_changed: dict[str, Listing]


def describe_difference(
    before: Grid,
    after: Grid,
    labels_before: Sequence[LabelSet] = (),
    labels_after: Sequence[LabelSet] = (),
) -> GridDifference:
    """Compare two grids by bus id; the values of parallel branches are compared in sorted order.

    Cost: one pass over the buses and branches of each grid.
    """
    old, new = set(before.bus_ids), set(after.bus_ids)
    old_pairs, new_pairs = _group_branches(before), _group_branches(after)
    old_counts = Counter({pair: len(rows) for pair, rows in old_pairs.items()})
    new_counts = Counter({pair: len(rows) for pair, rows in new_pairs.items()})
    shared = _find_shared(before, after)
    return GridDifference(
        buses_added=make_listing(bus for bus in after.bus_ids if bus not in old),
        buses_removed=make_listing(bus for bus in before.bus_ids if bus not in new),
        branches_added=make_listing(_name_pairs(new_counts - old_counts)),
        branches_removed=make_listing(_name_pairs(old_counts - new_counts)),
        features_changed=_compare_features(before, after, shared),
        branch_columns_changed=_compare_branches(before, after, old_pairs, new_pairs),
        labels_changed=_compare_labels(after, shared, labels_before, labels_after),
    )


def _find_shared(before: Grid, after: Grid) -> IntArray:
    """Return the positions of the buses that both grids have, in each grid, (2, S)."""
    place = {bus_id: bus for bus, bus_id in enumerate(before.bus_ids)}
    pairs = [(place[bus_id], bus) for bus, bus_id in enumerate(after.bus_ids) if bus_id in place]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2).T


def _group_branches(grid: Grid) -> dict[_Pair, list[int]]:
    groups: defaultdict[_Pair, list[int]] = defaultdict(list)
    for branch, (source, target) in enumerate(grid.ends.tolist()):
        first, second = sorted((grid.bus_ids[source], grid.bus_ids[target]))
        groups[first, second].append(branch)
    return groups


def _name_pairs(pairs: Counter[_Pair]) -> list[str]:
    return [f"{source}-{target}" for source, target in sorted(pairs.elements())]


def _compare_features(before: Grid, after: Grid, shared: IntArray) -> dict[str, ColumnChange]:
    old, new = shared
    names = [after.bus_ids[bus] for bus in new]
    changes = {}
    for name in after.feature_names:
        former, latter = before.find_column(name), after.find_column(name)
        if former is not None and latter is not None:
            changes[name] = _find_change(former[old], latter[new], names)
    return {name: change for name, change in changes.items() if change is not None}


def _compare_branches(
    before: Grid,
    after: Grid,
    old_pairs: dict[_Pair, list[int]],
    new_pairs: dict[_Pair, list[int]],
) -> dict[str, ColumnChange]:
    """Compare the columns of those pairs of buses that have as many branches in both grids."""
    alike = [pair for pair, rows in new_pairs.items() if len(old_pairs.get(pair, ())) == len(rows)]
    names = [f"{source}-{target}" for source, target in alike for _ in new_pairs[source, target]]
    changes = {}
    for name in ("weight", *after.branch_columns.names):
        former, latter = _branch_column(before, name), _branch_column(after, name)
        if former is not None and latter is not None:
            old = [value for pair in alike for value in sorted(former[old_pairs[pair]])]
            new = [value for pair in alike for value in sorted(latter[new_pairs[pair]])]
            changes[name] = _find_change(np.array(old), np.array(new), names)
    return {name: change for name, change in changes.items() if change is not None}


def _branch_column(grid: Grid, name: str) -> FloatArray | None:
    if name == "weight":
        return grid.weights
    columns = grid.branch_columns
    return columns.values[:, columns.names.index(name)] if name in columns.names else None


def _find_change(
    former: FloatArray, latter: FloatArray, names: Sequence[str]
) -> ColumnChange | None:
    differs = ~np.isclose(former, latter, rtol=_TOLERANCE, atol=_TOLERANCE)
    at = np.flatnonzero(differs)
    if not len(at):
        return None
    worst = int(at[np.argmax(np.abs(latter - former)[at])])
    rows = make_listing(names[position] for position in at.tolist())
    largest = LargestChange(names[worst], float(former[worst]), float(latter[worst]))
    return ColumnChange(rows.count, rows.first, largest)


def _compare_labels(
    after: Grid, shared: IntArray, before: Sequence[LabelSet], latter: Sequence[LabelSet]
) -> dict[str, Listing]:
    old, new = shared
    by_name = {label_set.name: label_set for label_set in before}
    changes = {}
    for label_set in latter:
        if label_set.name in by_name:
            former = _name_classes(by_name[label_set.name])[old]
            changed = new[former != _name_classes(label_set)[new]]
            changes[label_set.name] = make_listing(after.bus_ids[bus] for bus in changed)
    return {name: change for name, change in changes.items() if change.count}


def _name_classes(label_set: LabelSet) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    """Return the class name of every bus, None where it is unknown."""
    names = np.array([*label_set.class_names, None], dtype=object)
    return names[np.where(label_set.classes == UNKNOWN_CLASS, -1, label_set.classes)]
