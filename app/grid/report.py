"""The report of an import: what was kept, what was assumed, what was dropped."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from app.grid.grid import Grid, LabelSet
from ml.arrays import IntArray

_MOST_SHOWN = 20


def make_report(
    grid: Grid, label_sets: Sequence[LabelSet], dropped: dict[str, Any], notes: Sequence[str]
) -> dict[str, Any]:
    """Describe a grid that was read; ``dropped`` says what of the source is not in it."""
    island_of = find_islands(grid.bus_count, grid.ends)
    sizes = np.bincount(island_of, minlength=1)
    isolated = np.flatnonzero(np.bincount(grid.ends.ravel(), minlength=grid.bus_count) == 0)
    return {
        "buses": grid.bus_count,
        "branches": grid.branch_count,
        "branch_kinds": _count_kinds(grid),
        "islands": len(sizes),
        "largest_island": int(sizes.max()),
        "isolated_buses": _some([grid.bus_ids[bus] for bus in isolated[:_MOST_SHOWN]], isolated),
        "parallel_branches": _count_parallel(grid),
        "dropped": dropped,
        "coordinates": grid.coordinate_system,
        "features": _name_units(grid.feature_names, grid.feature_units),
        "bus_columns": _name_units(grid.bus_columns.names, grid.bus_columns.units),
        "branch_columns": _name_units(grid.branch_columns.names, grid.branch_columns.units),
        "labels": {label_set.name: label_set.class_counts() for label_set in label_sets},
        "notes": list(notes),
    }


def find_islands(bus_count: int, ends: IntArray) -> IntArray:
    """Number the connected part that each bus belongs to, (N,)."""
    shape = (bus_count, bus_count)
    links = sp.coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=shape)
    _, island_of = connected_components(links, directed=False)
    return np.asarray(island_of, dtype=np.int64)


def _name_units(names: Sequence[str], units: Sequence[str]) -> list[dict[str, str | None]]:
    return [{"name": name, "unit": unit or None} for name, unit in zip(names, units, strict=True)]


def _some(shown: list[str], found: IntArray) -> dict[str, Any]:
    return {"count": len(found), "first": shown}


def _count_kinds(grid: Grid) -> dict[str, int]:
    counts = np.bincount(grid.kinds, minlength=len(grid.kind_names)).tolist()
    return dict(zip(grid.kind_names, counts, strict=True))


def _count_parallel(grid: Grid) -> dict[str, Any]:
    low, high = grid.ends.min(axis=1, initial=grid.bus_count), grid.ends.max(axis=1, initial=-1)
    pairs = np.sort(low * grid.bus_count + high)
    repeats = pairs[1:][pairs[1:] == pairs[:-1]]
    shown = [
        f"{grid.bus_ids[pair // grid.bus_count]}-{grid.bus_ids[pair % grid.bus_count]}"
        for pair in dict.fromkeys(repeats[:_MOST_SHOWN].tolist())
    ]
    return {"count": len(repeats), "first": shown}
