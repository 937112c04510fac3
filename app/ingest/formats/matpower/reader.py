"""MATPOWER case files, text (``.m``) or binary (``.mat``) -> grid."""

from app.grid.report import ReadGrid
from app.ingest.build.power_grid import build_power_grid
from app.ingest.formats import is_matlab_binary
from app.ingest.formats.matpower.binary import parse_binary
from app.ingest.formats.matpower.tables import to_power_tables
from app.ingest.formats.matpower.text import parse_text
from app.ingest.protocol import Request


def read(request: Request) -> ReadGrid:
    """Read one case file. Raises: GridRejected listing every fault."""
    content = request.files["file"]
    parse = parse_binary if is_matlab_binary(content) else parse_text
    return build_power_grid(to_power_tables(parse(content)), request)
