"""Topology JSON, which POST /graphs accepts, and GeoJSON."""

from typing import Any

import numpy as np

from app.export.sheet import Cell, Exported, Sheet, lay_out_branches, lay_out_buses
from app.grid.grid import UNKNOWN_CLASS, Grid, LabelSet


def write_topology(exported: Exported) -> dict[str, Any]:
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


def _bus(grid: Grid, bus: int, label: LabelSet | None, geographic: bool) -> dict[str, Any]:
    features = dict(zip(grid.feature_names, grid.features[bus].tolist(), strict=True))
    written: dict[str, Any] = {"id": grid.bus_ids[bus], "features": features}
    if grid.bus_names[bus]:
        written["name"] = grid.bus_names[bus]
    if geographic and not np.isnan(grid.coordinates[bus]).any():
        written["lon"], written["lat"] = grid.coordinates[bus].tolist()
    if grid.substations is not None and grid.substations.find_name(bus):
        written["substation"] = grid.substations.find_name(bus)
    if label is not None and label.classes[bus] != UNKNOWN_CLASS:
        written["label"] = label.class_names[label.classes[bus]]
    return written


def write_geojson(exported: Exported) -> dict[str, Any]:
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


def _feature(kind: str, coordinates: list[Any], properties: dict[str, Cell]) -> dict[str, Any]:
    placed = np.isfinite(np.array(coordinates)).all()
    geometry = {"type": kind, "coordinates": coordinates} if placed else None
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def _row(sheet: Sheet, position: int) -> dict[str, Cell]:
    return {name: cells[position] for name, cells in sheet.items()}
