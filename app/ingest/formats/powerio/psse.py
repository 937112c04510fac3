"""Reader of PSS/E RAW, revisions 32 to 35, with ``powerio``."""

import contextlib

from app.errors import GridRejected
from app.grid.report import ReadGrid
from app.ingest.build.power_grid import build_power_grid
from app.ingest.formats.powerio.network import read_network
from app.ingest.protocol import Request
from ml.errors import Fault

with contextlib.suppress(ImportError):  # loaded before files are forbidden
    import powerio  # noqa: F401

_SECTIONS = 6
"""Buses, loads, fixed shunts, generators, branches, transformers: a 0 ends every section."""


def read(request: Request) -> ReadGrid:
    """Read one case. Raises: GridRejected listing every fault."""
    content = request.files["file"]
    if _count_section_ends(content) < _SECTIONS:
        fault = Fault("file", "ends before the end of the transformer section")
        raise GridRejected("The file is not a complete RAW file.", [fault])
    return build_power_grid(read_network(content, "psse", by_uid=False), request)


def _count_section_ends(content: bytes) -> int:
    return sum(line.split(b"/")[0].strip() == b"0" for line in content.splitlines())
