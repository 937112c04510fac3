"""A long topology of POST /graphs, read like a file: in a process of its own."""

from app.grid.grid import ReadGrid
from app.ingest.build.body import decode_graph_body
from app.ingest.build.topology import GridLimits, read_topology
from app.ingest.protocol import Request


def read(request: Request) -> ReadGrid:
    """Read one body. Raises: MalformedBody, GridRejected with every fault."""
    graph, faults = decode_graph_body(request.files["file"])
    return read_topology(graph, GridLimits(request.bus_limit, request.branch_limit), faults)
