"""Reader of CGMES profiles in a zip, with ``powerio``; the archive is checked and repacked."""

import contextlib
from dataclasses import replace

import numpy as np

from app.grid.grid import CoordinateSystem
from app.grid.places import group_names
from app.grid.report import ReadGrid
from app.ingest.build.power_grid import build_power_grid
from app.ingest.formats.guards.zip_guard import read_xml_archive, write_archive
from app.ingest.formats.powerio.network import read_network
from app.ingest.formats.powerio.profiles import NodePlaces, find_node_places
from app.ingest.protocol import Request

_DEGREES = "EPSG:4326"

with contextlib.suppress(ImportError):  # loaded before files are forbidden
    import powerio  # noqa: F401


def read(request: Request) -> ReadGrid:
    """Read the bus-branch view of a model; bus ids are mRIDs. Raises: GridRejected."""
    documents = read_xml_archive(request.files["file"])
    tables = read_network(write_archive(documents), "cgmes", by_uid=True)
    places = find_node_places(documents.values(), tables.buses.ids)
    system = _choose_system(places)
    buses = replace(
        tables.buses,
        regions=places.regions,
        substations=group_names(places.substations, "file"),
        coordinates=places.coordinates,
        coordinate_system=system,
        reference_system=places.reference_system if system == "schematic" else None,
    )
    return build_power_grid(replace(tables, buses=buses), request)


def _choose_system(places: NodePlaces) -> CoordinateSystem:
    if np.isnan(places.coordinates).all():
        return "none"
    return "geographic" if places.reference_system == _DEGREES else "schematic"
