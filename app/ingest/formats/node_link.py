"""Reader of JSON files: a topology as in the API, or networkx's node-link form."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from msgspec import UNSET

from app.errors import GridRejected, MalformedBody
from app.grid.report import ReadGrid
from app.http.strict_json import parse_json
from app.ingest.build.attributes import Scalar
from app.ingest.build.body import decode_graph_body
from app.ingest.build.plain_graph import PlainGraph, build_plain_grid
from app.ingest.build.topology import read_topology
from app.ingest.protocol import Request
from ml.errors import Fault

_MOST_FAULTS = 100
_EDGE_LISTS = ("edges", "links")


def read(request: Request) -> ReadGrid:
    """Read one JSON file. Raises: GridRejected with every fault."""
    content = request.files["file"]
    try:
        document = parse_json(content)
    except MalformedBody as error:
        faults = [Fault(_name_file(fault.where), fault.problem) for fault in error.faults]
        raise GridRejected("The file is not acceptable JSON.", faults) from error
    if isinstance(document, dict) and "nodes" in document:
        return build_plain_grid(_read_node_link(document), request)
    graph, faults = decode_graph_body(content)
    if graph.case is not UNSET:
        problem = "names a built-in case: send it as a JSON body, not as a file"
        raise GridRejected("The file is not a topology.", [Fault("case", problem)])
    read_grid = read_topology(graph, request.limits, faults)
    name = request.options.name or read_grid.grid.name
    return replace(read_grid, grid=replace(read_grid.grid, name=name))


def _name_file(where: str) -> str:
    return "file" if where == "body" else where


def _read_node_link(document: Mapping[str, Any]) -> PlainGraph:
    faults: list[Fault] = []
    edge_list = next((name for name in _EDGE_LISTS if name in document), "edges")
    nodes = _read_rows(document, "nodes", ("id",), faults)
    edges = _read_rows(document, edge_list, ("source", "target"), faults)
    if faults:
        raise GridRejected("The node-link JSON has errors.", faults[:_MOST_FAULTS])
    directed = document.get("directed") is True
    return PlainGraph(
        source="node-link",
        bus_ids=[str(node["id"]) for node in nodes],
        bus_attributes=[_keep_scalars(node, ("id",)) for node in nodes],
        ends=[(str(edge["source"]), str(edge["target"])) for edge in edges],
        branch_attributes=[_keep_scalars(edge, ("source", "target", "key")) for edge in edges],
        notes=("The directions of the edges are ignored.",) if directed else (),
    )


def _read_rows(
    document: Mapping[str, Any], name: str, ids: tuple[str, ...], faults: list[Fault]
) -> list[dict[str, Any]]:
    rows = document.get(name)
    if not isinstance(rows, list):
        faults.append(Fault(name, "is missing or not a list"))
        return []
    for position, row in enumerate(rows):
        if not isinstance(row, dict):
            faults.append(Fault(f"{name}[{position}]", "is not a JSON object"))
            continue
        for key in ids:
            value = row.get(key)
            if isinstance(value, bool) or not isinstance(value, str | int):
                faults.append(Fault(f"{name}[{position}].{key}", "is not text or an integer"))
    return rows


def _keep_scalars(row: Mapping[str, Any], without: tuple[str, ...]) -> dict[str, Scalar]:
    return {
        name: float(value) if isinstance(value, int | float) else value
        for name, value in row.items()
        if name not in without and isinstance(value, str | int | float)
    }
