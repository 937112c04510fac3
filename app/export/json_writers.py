"""Topology JSON, which POST /graphs accepts, and GeoJSON."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

import numpy as np

from app.export.sheet import Exported, Sheet, lay_out_branches, lay_out_buses
from app.grid.grid import UNKNOWN_CLASS, Grid, LabelSet
from app.http.csv_text import Cell


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


class TopologyDocument(TypedDict):
    """A grid as a body of POST /graphs."""

    name: str
    buses: list[TopologyBus]
    branches: list[TopologyBranch]


class Geometry(TypedDict):
    """A point, or a line of two points (RFC 7946)."""

    type: str
    coordinates: Sequence[float] | Sequence[Sequence[float]]


class GeoFeature(TypedDict):
    """A bus or a branch with its columns; the geometry is null without coordinates."""

    type: str
    geometry: Geometry | None
    properties: dict[str, Cell]


class GeoDocument(TypedDict):
    """All buses, then all branches."""

    type: str
    features: list[GeoFeature]


def write_topology(exported: Exported) -> TopologyDocument:
    """Return the grid as a body of POST /graphs, with the classes of one label set."""
    grid, label = exported.grid, exported.label
    geographic = grid.coordinate_system == "geographic"
    return {
        "name": grid.name,
        "buses": [_bus(grid, bus, label, geographic) for bus in range(grid.bus_count)],
        "branches": [
            {
                "from": grid.bus_ids[source],
                "to": grid.bus_ids[target],
                "weight": weight,
                "kind": grid.kind_names[kind],
            }
            for (source, target), weight, kind in zip(
                grid.ends.tolist(), grid.weights.tolist(), grid.kinds.tolist(), strict=True
            )
        ],
    }


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


def write_geojson(exported: Exported) -> GeoDocument:
    """Return buses as points and branches as lines.

    Without geographic coordinates the geometry is null, as RFC 7946 demands, and the place in
    the drawing is a property.
    """
    grid = exported.grid
    buses, branches = lay_out_buses(exported), lay_out_branches(exported)
    places = (
        grid.coordinates if grid.coordinate_system == "geographic" else grid.coordinates * np.nan
    )
    points = [
        _feature("Point", places[bus].tolist(), _row(buses, bus)) for bus in range(grid.bus_count)
    ]
    lines = [
        _feature("LineString", places[ends].tolist(), _row(branches, branch))
        for branch, ends in enumerate(grid.ends)
    ]
    return {"type": "FeatureCollection", "features": [*points, *lines]}


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
