"""PSS/E RAW, revisions 32 to 35, through ``powerio``."""

import contextlib

from app.ingest.exchange import Request
from app.ingest.grid import ReadGrid
from app.ingest.power_grid import build_power_grid
from app.ingest.powerio_network import read_network

with contextlib.suppress(ImportError):  # loaded before the process may open no more files
    import powerio  # noqa: F401


def read(request: Request) -> ReadGrid:
    """Read one case. Raises: GridRejected listing every fault."""
    return build_power_grid(read_network(request.files["file"], "psse", by_uid=False), request)
