"""Reader of CGMES profiles in a zip, with ``powerio``; the archive is checked and repacked."""

import contextlib
from dataclasses import replace

from app.grid.places import group_names
from app.grid.report import ReadGrid
from app.ingest.build.power_grid import build_power_grid
from app.ingest.formats.guards.zip_guard import read_xml_archive, write_archive
from app.ingest.formats.powerio.network import read_network
from app.ingest.formats.powerio.substations import find_substation_names
from app.ingest.protocol import Request

with contextlib.suppress(ImportError):  # loaded before files are forbidden
    import powerio  # noqa: F401


def read(request: Request) -> ReadGrid:
    """Read the bus-branch view of a model; bus ids are mRIDs. Raises: GridRejected."""
    documents = read_xml_archive(request.files["file"])
    tables = read_network(write_archive(documents), "cgmes", by_uid=True)
    names = find_substation_names(documents.values(), tables.buses.ids)
    buses = replace(tables.buses, substations=group_names(names, "file"))
    return build_power_grid(replace(tables, buses=buses), request)
