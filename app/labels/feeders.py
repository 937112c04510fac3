"""Feeders of a distribution grid, traced from its sources."""

from collections import Counter

import numpy as np

from app.grid.grid import UNKNOWN_CLASS, Grid, LabelSet, find_islands
from app.ingest.build.power_labels import natural_order
from ml.arrays import BoolArray, IntArray

FEEDER = "feeder"
FEEDER_DEFINITION = (
    "part of the grid behind the first branching after a source where no part has more than 80 % "
    "of the buses behind it, named by its first bus; buses before it have no feeder"
)
_MOST_LOOPS = 0.05
"""Loops per bus above which a grid is a meshed one, whose parts are not feeders."""
_MAIN_SHARE = 0.8
"""Of the buses behind a branching: with a larger part the trunk goes on into this part."""
_LEAST_SHARE = 0.02
"""Of all buses: a smaller part along the trunk belongs to no feeder."""
_SOURCES = ("slack", "ref", "source")
_EQUAL = 1e-3
"""Relative difference up to which two voltages are one, as at a voltage regulator."""


def find_feeder_problem(grid: Grid, bus_types: LabelSet | None) -> str | None:
    """Return why a grid has no feeders; None if they can be traced."""
    if bus_types is None or not _find_sources(bus_types).any():
        return "needs a source: a label set 'bus_type' with a bus of the class 'slack'"
    islands = int(find_islands(grid.bus_count, grid.ends).max(initial=-1)) + 1
    loops = len(_list_pairs(grid)) - grid.bus_count + islands
    if loops > _MOST_LOOPS * grid.bus_count:
        return f"needs a radial grid; this one has {loops:,} loops on {grid.bus_count:,} buses"
    return None


def trace_feeders(grid: Grid, bus_types: LabelSet) -> LabelSet:
    """Label each bus by its feeder.

    The trunk of an island leads from its sources and the buses behind their transformers to the
    first bus behind which no part has more than 80 % of the buses. Without the trunk the island
    falls into parts: the feeders. Parts along the trunk with less than 2 % of the buses belong
    to no feeder; parts that a closed tie joins are one feeder.
    """
    pairs = _list_pairs(grid)
    trunk, head = _find_head(grid, bus_types, pairs)
    inner = trunk | head
    parts = find_islands(grid.bus_count, pairs[~inner[pairs].any(axis=1)])
    crossing = pairs[inner[pairs].sum(axis=1) == 1]
    crossing = np.where(inner[crossing[:, :1]], crossing, crossing[:, ::-1])
    sizes = np.bincount(parts, minlength=1)
    firsts = crossing[head[crossing[:, 0]], 1].tolist()
    firsts += [
        bus
        for bus in crossing[trunk[crossing[:, 0]], 1].tolist()
        if sizes[parts[bus]] >= _LEAST_SHARE * grid.bus_count
    ]
    names: dict[int, str] = {}
    for bus in sorted(firsts, key=lambda bus: natural_order(grid.bus_ids[bus])):
        names.setdefault(int(parts[bus]), grid.bus_ids[bus])
    counts = Counter(name[:100] for name in names.values())  # ids may share their beginning
    titles = {
        part: name[:100] if counts[name[:100]] == 1 else f"{name[:90]} {part}"
        for part, name in names.items()
    }
    class_names = tuple(sorted(titles.values(), key=natural_order))
    code_of = {name: code for code, name in enumerate(class_names)}
    code_of_part = np.full(len(sizes), UNKNOWN_CLASS, dtype=np.int64)
    for part, title in titles.items():
        code_of_part[part] = code_of[title]
    classes = np.where(inner, UNKNOWN_CLASS, code_of_part[parts])
    return LabelSet(FEEDER, class_names, classes, FEEDER_DEFINITION)


def _find_sources(bus_types: LabelSet) -> BoolArray:
    names = bus_types.class_names
    codes = [code for code, name in enumerate(names) if name.casefold() in _SOURCES]
    return np.isin(bus_types.classes, codes)


def _list_pairs(grid: Grid) -> IntArray:
    """Return the joined pairs of buses, parallel branches once."""
    ends = np.sort(grid.ends, axis=1)
    pairs: IntArray = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)
    return pairs


def _find_head(grid: Grid, bus_types: LabelSet, pairs: IntArray) -> tuple[BoolArray, BoolArray]:
    """Return the buses of the trunk, and those where the feeders begin."""
    neighbours: list[list[int]] = [[] for _ in range(grid.bus_count)]
    for one, other in pairs.tolist():
        neighbours[one].append(other)
        neighbours[other].append(one)
    transformers = _list_transformers(grid)
    sources = _find_sources(bus_types)
    islands = find_islands(grid.bus_count, grid.ends)
    trunk, head = sources.copy(), np.zeros(grid.bus_count, dtype=np.bool_)
    for island in np.unique(islands[sources]).tolist():
        own = np.flatnonzero(sources & (islands == island)).tolist()
        last = set(own)
        for bus in own:
            last.update(other for other in neighbours[bus] if (bus, other) in transformers)
        path = _follow(last, neighbours)
        trunk[[bus for step in path[:-1] for bus in step]] = True
        head[list(path[-1])] = True
    return trunk & ~head, head


def _follow(start: set[int], neighbours: list[list[int]]) -> list[set[int]]:
    """Return the buses from the sources to the first branching, step by step."""
    parents = dict.fromkeys(start, -1)
    order = list(start)
    for bus in order:
        for other in neighbours[bus]:
            if other not in parents:
                parents[other] = bus
                order.append(other)
    sizes = dict.fromkeys(order, 1)
    children: dict[int, list[int]] = {bus: [] for bus in order}
    for bus in reversed(order):
        if parents[bus] >= 0:
            sizes[parents[bus]] += sizes[bus]
            children[parents[bus]].append(bus)
    path = [start]
    while True:
        behind = [child for bus in path[-1] for child in children[bus]]
        largest = max(behind, key=lambda child: sizes[child], default=None)
        if largest is None or sizes[largest] <= _MAIN_SHARE * sum(sizes[one] for one in behind):
            return path
        path.append({largest})


def _list_transformers(grid: Grid) -> set[tuple[int, int]]:
    names = grid.kind_names
    code = names.index("transformer") if "transformer" in names else -2
    marked = grid.kinds == code
    voltages = grid.find_column("base_kv")
    if voltages is not None and len(grid.ends):
        low, high = np.sort(voltages[grid.ends], axis=1).T
        marked = marked | ((low > 0) & (high > low * (1 + _EQUAL)))
    ends = grid.ends[marked].tolist()
    return {(one, other) for one, other in ends} | {(other, one) for one, other in ends}
