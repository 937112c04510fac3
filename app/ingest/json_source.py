"""A JSON body -> grid: the name of a built-in case, or a topology."""

from msgspec import UNSET

from app.grid.report import ReadGrid
from app.ingest.build.body import decode_graph_body
from app.ingest.build.topology import read_topology, reject
from app.ingest.cases.catalogue import read_named_case
from app.ingest.formats import TOPOLOGY
from app.ingest.protocol import ReadLimits, ReadOptions, Request
from app.ingest.sandbox.run import run_reader
from ml.errors import Fault

_LARGE = 2**20
"""Bytes; decoding a longer body here would keep other requests waiting."""


def read_json_source(body: bytes, limits: ReadLimits) -> ReadGrid:
    """Read a JSON body; a large one is read in a confined process.

    Raises: MalformedBody, GridRejected with every fault, CaseUnreadable.
    """
    if len(body) > _LARGE:
        return run_reader(Request(TOPOLOGY, {"file": body}, limits=limits))
    graph, faults = decode_graph_body(body)
    options = {"weight": graph.weight, "check": graph.check, "columns": graph.columns}
    given = {name: value for name, value in options.items() if value is not UNSET}
    if graph.case is UNSET:
        faults.extend(Fault(name, "is allowed only together with case") for name in given)
        return read_topology(graph, limits, faults)
    others = {"name": graph.name, "buses": graph.buses, "branches": graph.branches}
    faults.extend(
        Fault(name, "is not allowed together with case")
        for name, value in others.items()
        if value is not UNSET
    )
    if faults:
        reject(faults)
    return read_named_case(graph.case, ReadOptions(**given), limits)
