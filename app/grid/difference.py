"""How two grids differ: buses and branches that came and went, columns and labels that changed."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from app.grid.grid import UNKNOWN_CLASS, Grid, LabelSet
from ml.arrays import FloatArray, IntArray

_MOST_SHOWN = 20
_TOLERANCE = 1e-9
_Pair: TypeAlias = tuple[str, str]


def describe_difference(
    before: Grid,
    after: Grid,
    labels_before: Sequence[LabelSet] = (),
    labels_after: Sequence[LabelSet] = (),
) -> dict[str, Any]:
    """Compare two grids by bus id; branches between the same buses by their order of columns.

    Cost: one pass over the buses and branches of each.
    """
    old, new = set(before.bus_ids), set(after.bus_ids)
    old_pairs, new_pairs = _group_branches(before), _group_branches(after)
    old_counts = Counter({pair: len(rows) for pair, rows in old_pairs.items()})
    new_counts = Counter({pair: len(rows) for pair, rows in new_pairs.items()})
    shared = _find_shared(before, after)
    return {
        "buses_added": _some(bus for bus in after.bus_ids if bus not in old),
        "buses_removed": _some(bus for bus in before.bus_ids if bus not in new),
        "branches_added": _some(_name_pairs(new_counts - old_counts)),
        "branches_removed": _some(_name_pairs(old_counts - new_counts)),
        "features_changed": _compare_features(before, after, shared),
        "branch_columns_changed": _compare_branches(before, after, old_pairs, new_pairs),
        "labels_changed": _compare_labels(after, shared, labels_before, labels_after),
    }


def _find_shared(before: Grid, after: Grid) -> IntArray:
    """Return the positions of the buses that both have, in each, (2, S)."""
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


def _compare_features(before: Grid, after: Grid, shared: IntArray) -> dict[str, Any]:
    old, new = shared
    names = [after.bus_ids[bus] for bus in new]
    changes = {}
    for name in after.feature_names:
        former, latter = before.find_column(name), after.find_column(name)
        if former is not None and latter is not None:
            changes[name] = _tell_change(former[old], latter[new], names)
    return {name: change for name, change in changes.items() if change}


def _compare_branches(
    before: Grid,
    after: Grid,
    old_pairs: dict[_Pair, list[int]],
    new_pairs: dict[_Pair, list[int]],
) -> dict[str, Any]:
    """Compare the columns of pairs of buses with as many branches here as there."""
    alike = [pair for pair, rows in new_pairs.items() if len(old_pairs.get(pair, ())) == len(rows)]
    names = [f"{source}-{target}" for source, target in alike for _ in new_pairs[source, target]]
    changes = {}
    for name in ("weight", *after.branch_columns.names):
        former, latter = _branch_column(before, name), _branch_column(after, name)
        if former is not None and latter is not None:
            old = [value for pair in alike for value in sorted(former[old_pairs[pair]])]
            new = [value for pair in alike for value in sorted(latter[new_pairs[pair]])]
            changes[name] = _tell_change(np.array(old), np.array(new), names)
    return {name: change for name, change in changes.items() if change}


def _branch_column(grid: Grid, name: str) -> FloatArray | None:
    if name == "weight":
        return grid.weights
    columns = grid.branch_columns
    return columns.values[:, columns.names.index(name)] if name in columns.names else None


def _tell_change(former: FloatArray, latter: FloatArray, names: Sequence[str]) -> dict[str, Any]:
    """Say where numbers changed and by how much at most; nothing if they did not."""
    differs = ~np.isclose(former, latter, rtol=_TOLERANCE, atol=_TOLERANCE)
    at = np.flatnonzero(differs)
    if not len(at):
        return {}
    worst = int(at[np.argmax(np.abs(latter - former)[at])])
    return {
        **_some(names[position] for position in at.tolist()),
        "largest": {"at": names[worst], "from": float(former[worst]), "to": float(latter[worst])},
    }


def _compare_labels(
    after: Grid, shared: IntArray, before: Sequence[LabelSet], latter: Sequence[LabelSet]
) -> dict[str, Any]:
    old, new = shared
    known = {each.name: each for each in before}
    changes = {}
    for each in latter:
        if each.name in known:
            former, now = _class_of(known[each.name])[old], _class_of(each)[new]
            changes[each.name] = _some(after.bus_ids[bus] for bus in new[former != now])
    return {name: change for name, change in changes.items() if change["count"]}


def _class_of(label_set: LabelSet) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    """Return the name of the class of every bus; the last name stands for "unknown"."""
    names = np.array([*label_set.class_names, None], dtype=object)
    return names[np.where(label_set.classes == UNKNOWN_CLASS, -1, label_set.classes)]


def _some(found: Iterable[str]) -> dict[str, Any]:
    listed = list(found)
    return {"count": len(listed), "first": listed[:_MOST_SHOWN]}
