"""A JSON body -> grid: the name of a built-in case, or a topology."""

from msgspec import UNSET

from app.grid.grid import ReadGrid
from app.ingest.build.body import decode_graph_body
from app.ingest.build.topology import GridLimits, read_topology, reject
from app.ingest.cases.catalogue import NamedCase, read_named_case
from app.ingest.protocol import Request
from app.ingest.sandbox.run import Confinement, run_reader
from ml.errors import Fault

_LARGE = 2**20
"""Bytes; more than this takes long enough to keep other requests waiting if read here."""


def read_json_source(body: bytes, limits: GridLimits, confinement: Confinement) -> ReadGrid:
    """Read what a client has sent; what is large is read in a process of its own.

    Raises: MalformedBody, GridRejected with every fault, CaseUnreadable.
    """
    if len(body) > _LARGE:
        request = Request("topology", {"file": body}, {}, limits.buses, limits.branches)
        return run_reader(request, confinement)
    graph, faults = decode_graph_body(body)
    options = {"weight": graph.weight, "check": graph.check, "columns": graph.columns}
    given = {name: value for name, value in options.items() if value is not UNSET}
    if graph.case is UNSET:
        faults.extend(Fault(name, "goes together with case only") for name in given)
        return read_topology(graph, limits, faults)
    others = {"name": graph.name, "buses": graph.buses, "branches": graph.branches}
    faults.extend(
        Fault(name, "does not go together with case")
        for name, value in others.items()
        if value is not UNSET
    )
    if faults:
        reject(faults)
    return read_named_case(NamedCase(graph.case, **given), limits)
