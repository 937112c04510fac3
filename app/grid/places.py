"""Places of buses: substations, given or derived, and geographic coordinates."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from app.grid.grid import Grid, Substations, SubstationSource, find_islands
from app.grid.report import ReadGrid, SubstationReport
from ml.arrays import BoolArray, FloatArray, IntArray

_DECIMALS = 4
"""Of degrees: buses within about 10 m are at the same place."""
_LEAST_PLACED = 0.5
"""Fraction of the buses that need coordinates before substations are derived from them."""


class Places(NamedTuple):
    """What is known about the places of the buses, for training and evaluation.

    Shapes: groups (N,) number of the substation per bus, None if unknown; coordinates (N, 2)
        latitude and longitude in degrees, nan for a bus without; None if not geographic:
        approximate places are for maps only.
    """

    groups: IntArray | None
    coordinates: FloatArray | None


def find_places(grid: Grid) -> Places:
    """Return substations and coordinates of a grid; substations are derived if it has none."""
    substations = complete_substations(grid).substations
    geographic = grid.coordinate_system == "geographic"
    return Places(
        groups=None if substations is None else substations.groups,
        coordinates=grid.coordinates[:, ::-1].copy() if geographic else None,
    )


def find_map_places(grid: Grid) -> FloatArray:
    """Return longitude and latitude per bus, exact or approximate; nan for a bus without.

    Shapes: -> (N, 2).
    """
    on_map = grid.coordinate_system in ("geographic", "approximate")
    return grid.coordinates if on_map else np.full((grid.bus_count, 2), np.nan)


def add_substations(read: ReadGrid) -> ReadGrid:
    """Derive the substations of a grid that has none, and describe them in its report."""
    grid = complete_substations(read.grid)
    report = msgspec.structs.replace(read.report, substations=describe_substations(grid))
    return replace(read, grid=grid, report=report)


def complete_substations(grid: Grid) -> Grid:
    """Return the grid with derived substations if it has none and a rule finds some."""
    substations = grid.substations or find_substations(grid)
    return grid if substations is grid.substations else replace(grid, substations=substations)


def describe_substations(grid: Grid) -> SubstationReport:
    """Count the substations of a grid."""
    if grid.substations is None:
        return SubstationReport(count=grid.bus_count, largest=1)
    substations = grid.substations
    return SubstationReport(substations.count, substations.largest, substations.source)


def find_substations(grid: Grid) -> Substations | None:
    """Derive substations by the first rule that joins two buses; None if no rule does.

    Rules: equal geographic coordinates, if at least half of the buses have any; then buses
    joined by a transformer, that is a branch of this kind or between unequal voltages.
    """
    rules: tuple[tuple[SubstationSource, IntArray | None], ...] = (
        ("coordinates", _group_by_coordinates(grid)),
        ("transformers", _group_by_transformers(grid)),
    )
    for source, groups in rules:
        if groups is not None and groups.max(initial=-1) + 1 < grid.bus_count:
            return Substations(groups, source)
    return None


def group_names(names: Sequence[str], source: Literal["file", "column"]) -> Substations | None:
    """Group buses by the name of their substation; each unnamed bus is a group.

    None if no bus has a name, or if a file gives every bus a substation of its own, as some
    writers do that know nothing about substations; a column is taken at its word.
    """
    if not any(names):
        return None
    group_of: dict[str, int] = {}
    groups: list[int] = []
    titles: list[str] = []
    for bus, name in enumerate(names):
        group = group_of.setdefault(name or f"\0{bus}", len(group_of))
        if group == len(titles):
            titles.append(name)
        groups.append(group)
    if source == "file" and len(titles) == len(names):
        return None
    return Substations(np.array(groups, dtype=np.int64), source, tuple(titles))


def _group_by_coordinates(grid: Grid) -> IntArray | None:
    placed: BoolArray = np.asarray(np.isfinite(grid.coordinates).all(axis=1))
    if grid.coordinate_system != "geographic" or placed.mean() < _LEAST_PLACED:
        return None
    # The third column keeps buses without coordinates apart from each other.
    alone = np.where(placed, -1, np.arange(grid.bus_count))
    rounded = np.where(placed[:, np.newaxis], grid.coordinates.round(_DECIMALS), 0.0)
    _, first, groups = np.unique(
        np.column_stack([rounded, alone]), axis=0, return_index=True, return_inverse=True
    )
    return _in_order(first, groups.ravel())


def _group_by_transformers(grid: Grid) -> IntArray | None:
    joins = _is_transformer(grid)
    if not joins.any():
        return None
    parts = find_islands(grid.bus_count, grid.ends[joins])
    _, first, groups = np.unique(parts, return_index=True, return_inverse=True)
    return _in_order(first, groups)


def _is_transformer(grid: Grid) -> BoolArray:
    marked: BoolArray = np.zeros(grid.branch_count, dtype=np.bool_)
    if "transformer" in grid.kind_names:
        marked = grid.kinds == grid.kind_names.index("transformer")
    if marked.all():  # the RTE cases of MATPOWER give every branch a ratio: it distinguishes none
        marked = ~marked
    base_kv = grid.find_column("base_kv")
    if base_kv is not None:
        marked = marked | (base_kv[grid.ends[:, 0]] != base_kv[grid.ends[:, 1]])
    return marked


def _in_order(first: IntArray, groups: IntArray) -> IntArray:
    """Number groups by their first bus."""
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[groups]
