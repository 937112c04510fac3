"""Rules on elements that are given twice."""

import numpy as np

from app.checks.checked_grid import CheckedGrid
from app.checks.rule import Hits, Rule, split_groups
from ml.arrays import BoolArray, IntArray

_DATA = ("r", "x", "b", "rating", "tap", "shift")


def _find_reversed(checked: CheckedGrid) -> Hits:
    """Find branches of equal data that are given in both directions."""
    groups = _group_equal(checked)
    source, target = checked.grid.ends.T
    forward = np.bincount(groups, weights=source < target)
    backward = np.bincount(groups, weights=source > target)
    return _list_groups(groups, (forward > 0) & (backward > 0))


def _find_identical(checked: CheckedGrid) -> Hits:
    """Find branches of equal data between the same buses, in the same direction."""
    groups = _group_equal(checked)
    source, target = checked.grid.ends.T
    forward = np.bincount(groups, weights=source < target)
    sizes = np.bincount(groups)
    return _list_groups(groups, (sizes > 1) & ((forward == 0) | (forward == sizes)))


def _find_equal_names(checked: CheckedGrid) -> Hits:
    grid = checked.grid
    kv = checked.bus("base_kv").tolist()
    first_with: dict[tuple[str, float], int] = {}
    groups = np.empty(grid.bus_count, dtype=np.int64)
    for bus, name in enumerate(grid.bus_names):
        # Names differ in case and spaces when a grid was joined from two exports.
        text = " ".join((name or grid.bus_ids[bus]).split()).casefold()
        groups[bus] = first_with.setdefault((text, kv[bus]), len(first_with))
    sizes = np.bincount(groups)
    if np.count_nonzero(sizes > 1) * 2 > len(sizes):
        return Hits()  # names that most buses share are types or places, not names
    chosen = _sort_groups(sizes, sizes > 1)
    buses = split_groups(groups, chosen.tolist())
    names = [grid.bus_names[one[0]] or grid.bus_ids[one[0]] for one in buses]
    return Hits(len(buses), buses=buses, numbers={"name": names, "buses": sizes[chosen]})


def _group_equal(checked: CheckedGrid) -> IntArray:
    """Number the branches so that those with equal buses, kind and data share a number, (E,)."""
    ends = np.sort(checked.grid.ends, axis=1)
    data = [checked.branch(name) for name in _DATA]
    rows = np.column_stack([ends, checked.grid.kinds, *data])
    order = np.lexsort(rows.T)
    changes = (rows[order][1:] != rows[order][:-1]).any(axis=1)
    groups = np.empty(len(rows), dtype=np.int64)
    groups[order] = np.concatenate(
        [np.zeros(min(1, len(rows)), dtype=np.int64), np.cumsum(changes)]
    )
    return groups


def _list_groups(groups: IntArray, chosen: BoolArray) -> Hits:
    sizes = np.bincount(groups)
    order = _sort_groups(sizes, chosen)
    return Hits(
        len(order),
        branches=split_groups(groups, order.tolist()),
        numbers={"branches": sizes[order]},
    )


def _sort_groups(sizes: IntArray, chosen: BoolArray) -> IntArray:
    order = np.argsort(-sizes, kind="stable")
    return order[chosen[order]]


RULES = (
    Rule(
        name="duplicate-branch",
        severity="warning",
        title="Branch given in both directions",
        why="Two branches of equal data, one from A to B and one from B to A, are usually one "
        "branch that was listed at both ends: the connection is twice as strong as in reality.",
        fix="Remove one of them, unless there are two circuits.",
        sentence="{branches:.0f} equal branches in both directions, such as {element}",
        find=_find_reversed,
        needs=("x",),
    ),
    Rule(
        name="parallel-branches-equal",
        severity="note",
        title="Parallel branches with equal data",
        why="Double circuits look like this, and so does a branch that was imported twice.",
        fix="Compare with the number of circuits; remove a branch that exists only once.",
        sentence="{branches:.0f} parallel branches of equal data, such as {element}",
        find=_find_identical,
        needs=("x",),
    ),
    Rule(
        name="duplicate-bus",
        severity="note",
        title="Buses with the same name and voltage",
        why="Busbar sections may share a name; otherwise one bus was imported twice, and its "
        "branches are spread over both copies. Requests by this name are ambiguous.",
        fix="Merge the copies, or give each busbar section its own name.",
        sentence="{buses:.0f} buses are called {name}",
        find=_find_equal_names,
    ),
)
