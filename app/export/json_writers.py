"""Topology JSON, which POST /graphs accepts, and GeoJSON."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NotRequired, TypedDict

import msgspec
import numpy as np

from app.export.sheet import Exported, Sheet, lay_out_branches, lay_out_buses
from app.grid.grid import UNKNOWN_CLASS, Grid, LabelSet
from app.grid.places import find_map_places
from app.http.csv_text import Cell
from app.http.responses import write_items, write_object

_PIECE = 1000


class TopologyBus(TypedDict):
    """A bus of the topology JSON; absent where the grid does not know it."""

    id: str
    features: dict[str, float]
    name: NotRequired[str]
    lon: NotRequired[float]
    lat: NotRequired[float]
    substation: NotRequired[str]
    label: NotRequired[str]


TopologyBranch = TypedDict("TopologyBranch", {"from": str, "to": str, "weight": float, "kind": str})


class Geometry(TypedDict):
    """A point, or a line of two points (RFC 7946)."""

    type: str
    coordinates: Sequence[float] | Sequence[Sequence[float]]


class GeoFeature(TypedDict):
    """A bus or a branch with its columns; the geometry is null without coordinates."""

    type: str
    geometry: Geometry | None
    properties: dict[str, Cell]


def write_topology(exported: Exported) -> Iterator[bytes]:
    """Yield the grid as a body of POST /graphs, with the classes of one label set."""
    grid, label = exported.grid, exported.label
    geographic = grid.coordinate_system == "geographic"
    buses = (
        [_bus(grid, bus, label, geographic) for bus in piece] for piece in _cut(grid.bus_count)
    )
    branches = ([_branch(grid, branch) for branch in piece] for piece in _cut(grid.branch_count))
    yield b'{"name":%b,"buses":[' % msgspec.json.encode(grid.name)
    yield from write_items(buses)
    yield b'],"branches":['
    yield from write_items(branches)
    yield b"]}"


def _branch(grid: Grid, branch: int) -> TopologyBranch:
    source, target = grid.ends[branch].tolist()
    return {
        "from": grid.bus_ids[source],
        "to": grid.bus_ids[target],
        "weight": float(grid.weights[branch]),
        "kind": grid.kind_names[grid.kinds[branch]],
    }


def _cut(count: int) -> Iterator[range]:
    for first in range(0, count, _PIECE):
        yield range(first, min(first + _PIECE, count))


def _bus(grid: Grid, bus: int, label: LabelSet | None, geographic: bool) -> TopologyBus:
    features = dict(zip(grid.feature_names, grid.features[bus].tolist(), strict=True))
    written: TopologyBus = {"id": grid.bus_ids[bus], "features": features}
    if grid.bus_names[bus]:
        written["name"] = grid.bus_names[bus]
    if geographic and not np.isnan(grid.coordinates[bus]).any():
        written["lon"], written["lat"] = grid.coordinates[bus].tolist()
    substation = None if grid.substations is None else grid.substations.find_name(bus)
    if substation:
        written["substation"] = substation
    if label is not None and label.classes[bus] != UNKNOWN_CLASS:
        written["label"] = label.class_names[label.classes[bus]]
    return written


def write_geojson(exported: Exported) -> Iterator[bytes]:
    """Yield all buses as points, then all branches as lines.

    Without coordinates on a map the geometry is null, as RFC 7946 demands, and the place in the
    drawing is a property. The collection says in ``coordinate_system`` if places are approximate.
    """
    grid = exported.grid
    buses, branches = lay_out_buses(exported), lay_out_branches(exported)
    places = find_map_places(grid)
    points = (
        [_feature("Point", places[bus].tolist(), _row(buses, bus)) for bus in piece]
        for piece in _cut(grid.bus_count)
    )
    lines = (
        [
            _feature("LineString", places[grid.ends[branch]].tolist(), _row(branches, branch))
            for branch in piece
        ]
        for piece in _cut(grid.branch_count)
    )
    before = {"type": "FeatureCollection", "coordinate_system": grid.coordinate_system}
    yield from write_object(before, "features", chain(points, lines))


def _feature(
    kind: str,
    coordinates: Sequence[float] | Sequence[Sequence[float]],
    properties: dict[str, Cell],
) -> GeoFeature:
    placed = np.isfinite(np.array(coordinates)).all()
    geometry = Geometry(type=kind, coordinates=coordinates) if placed else None
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def _row(sheet: Sheet, position: int) -> dict[str, Cell]:
    return {name: cells[position] for name, cells in sheet.items()}
