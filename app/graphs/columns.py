"""A grid cut into pages and columns for the wire."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from app.graphs.schemas import BranchOut, BusOut, BusPage
from app.grid.bus_search import index_buses
from app.grid.grid import Columns, Grid


def topology_columns(graph_id: str, grid: Grid) -> dict[str, Any]:
    """Return all buses and branches, one list per property; see ``TopologyOut``."""
    substations = grid.substations
    return {
        "graph_id": graph_id,
        "coordinate_system": grid.coordinate_system,
        "kind_names": grid.kind_names,
        "buses": {
            "id": grid.bus_ids,
            "name": [name or None for name in grid.bus_names],
            "x": grid.coordinates[:, 0].tolist(),
            "y": grid.coordinates[:, 1].tolist(),
            "substation": None if substations is None else substations.groups.tolist(),
        },
        "branches": {
            "from": grid.ends[:, 0].tolist(),
            "to": grid.ends[:, 1].tolist(),
            "weight": grid.weights.tolist(),
            "kind": grid.kinds.tolist(),
        },
    }


def bus_page(grid: Grid, start: int, limit: int, query: str | None = None) -> BusPage:
    """Return buses from a position on: all in the order of the grid, or those found, best first."""
    found: Sequence[int] = range(grid.bus_count)
    if query is not None:
        found = index_buses(grid).search(query).tolist()
    items = [describe_bus(grid, bus) for bus in found[start : start + limit]]
    following = _next_start(start + limit, len(found))
    return BusPage(items=items, next_cursor=following, total=len(found))


def describe_bus(grid: Grid, bus: int) -> BusOut:
    """Return one bus with all its columns."""
    return BusOut(
        id=grid.bus_ids[bus],
        name=grid.bus_names[bus] or None,
        x=_nan_to_none(grid.coordinates[bus, 0]),
        y=_nan_to_none(grid.coordinates[bus, 1]),
        substation=_name_substation(grid, bus),
        aliases={kind: names[bus] for kind, names in grid.aliases.items() if names[bus]},
        features=dict(zip(grid.feature_names, grid.features[bus].tolist(), strict=True)),
        columns=_row(grid.bus_columns, bus),
        texts=_find_texts(grid, bus),
    )


def branch_page(grid: Grid, start: int, limit: int) -> tuple[list[BranchOut], str | None]:
    """Return branches from a position on, and where the next page starts."""
    positions = range(start, min(start + limit, grid.branch_count))
    items = [
        BranchOut(
            source=grid.bus_ids[grid.ends[branch, 0]],
            target=grid.bus_ids[grid.ends[branch, 1]],
            weight=float(grid.weights[branch]),
            kind=grid.kind_names[grid.kinds[branch]],
            columns=_row(grid.branch_columns, branch),
        )
        for branch in positions
    ]
    return items, _next_start(start + limit, grid.branch_count)


def _name_substation(grid: Grid, bus: int) -> str | None:
    if grid.substations is None:
        return None
    return grid.substations.find_name(bus) or str(grid.substations.groups[bus] + 1)


def _find_texts(grid: Grid, bus: int) -> dict[str, str]:
    found = {name: column.find_text(bus) for name, column in grid.text_columns.items()}
    return {name: text for name, text in found.items() if text is not None}


def _row(columns: Columns, position: int) -> dict[str, float]:
    if not columns.names:
        return {}
    return dict(zip(columns.names, columns.values[position].tolist(), strict=True))


def _nan_to_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _next_start(end: int, count: int) -> str | None:
    return str(end) if end < count else None
