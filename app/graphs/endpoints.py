"""Endpoints of /graphs: store, list, show, compare and delete grids."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response, status

from app.graphs import columns, service
from app.graphs.body import GridBody, describe_body
from app.graphs.schemas import (
    BranchPage,
    BusPage,
    DifferenceOut,
    GraphDetailOut,
    GraphOut,
    GraphPage,
    TopologyOut,
    VersionsOut,
)
from app.grid.report import ReadGrid
from app.grid.versions import Predecessor, carry_over
from app.http.responses import respond_columns
from app.ingest.json_source import read_json_source
from app.ingest.protocol import ReadLimits
from app.ingest.upload import read_upload
from app.settings import Settings
from app.storage.db import Database, DatabaseDep, ReadingSession, WritingSession
from app.storage.paging import CursorQuery, LimitQuery

router = APIRouter(prefix="/graphs", tags=["graphs"])

GraphId = Annotated[str, Path(max_length=64)]
StartQuery = Annotated[
    int, Query(ge=0, le=10**9, alias="cursor", description="`next_cursor` of the previous page.")
]


@router.post(
    "",
    summary="Store a grid",
    status_code=status.HTTP_201_CREATED,
    responses={200: {"model": GraphDetailOut, "description": "This grid was already stored."}},
    openapi_extra=describe_body(),
)
def create_graph(
    body: GridBody,
    request: Request,
    response: Response,
    database: DatabaseDep,
    version_of: Annotated[
        str | None, Query(max_length=64, description="Store the grid as a new version of this one.")
    ] = None,
) -> GraphDetailOut:
    """Store a built-in case by name, a topology as JSON, or a file of a supported format.

    A new version of another grid takes over its labels and aliases by bus id; the import report
    lists the differences. `report.checks` counts the findings of the checks of the grid model.
    """
    before = _load_predecessor(database, version_of)
    read = _read_body(body, request.app.state.settings)
    with database.reading() as session:
        stored = service.find_stored(session, read)
    if stored is None:
        read = service.count_findings(read if before is None else carry_over(before, read))
    with database.writing() as session:
        row, is_new = service.store_grid(session, read, before)
        detail = service.get_detail(session, row.id)
    response.headers["Location"] = f"/graphs/{row.id}"
    if not is_new:
        response.status_code = status.HTTP_200_OK
    return GraphDetailOut.from_detail(detail)


@router.get("", summary="List grids")
def list_graphs(
    session: ReadingSession, limit: LimitQuery, cursor: CursorQuery = None
) -> GraphPage:
    """List all stored grids, newest first."""
    rows, next_cursor = service.list_graphs(session, limit, cursor)
    return GraphPage(items=[GraphOut.from_row(row) for row in rows], next_cursor=next_cursor)


@router.get("/{graph_id}", summary="Show a grid")
def get_graph(graph_id: GraphId, session: ReadingSession) -> GraphDetailOut:
    """Show the size, features and label sets of a grid, and its import report."""
    return GraphDetailOut.from_detail(service.get_detail(session, graph_id))


@router.get("/{graph_id}/versions", summary="List the versions of a grid")
def list_versions(graph_id: GraphId, session: ReadingSession) -> VersionsOut:
    """List all versions of a grid, oldest first; any version can be named."""
    rows = service.list_versions(session, graph_id)
    return VersionsOut(items=[GraphOut.from_row(row) for row in rows])


@router.get("/{graph_id}/difference/{other_id}", summary="Compare two grids")
def get_difference(graph_id: GraphId, other_id: GraphId, session: ReadingSession) -> DifferenceOut:
    """List what changed from one grid to another: two versions, or one grid from two files."""
    difference = service.compare_grids(session, graph_id, other_id)
    return DifferenceOut.from_difference(difference, graph_id, other_id)


@router.get(
    "/{graph_id}/topology", summary="Get a whole grid as columns", response_model=TopologyOut
)
def get_topology(graph_id: GraphId, session: ReadingSession) -> Response:
    """Return ids, names and coordinates of all buses and all branches, one list per property."""
    return respond_columns(columns.topology_columns(graph_id, service.load_grid(session, graph_id)))


@router.get("/{graph_id}/buses", summary="List the buses of a grid")
def list_buses(
    graph_id: GraphId, session: ReadingSession, limit: LimitQuery, start: StartQuery = 0
) -> BusPage:
    """List buses with their features, in the order of the grid."""
    items, following = columns.bus_page(service.load_grid(session, graph_id), start, limit)
    return BusPage(items=items, next_cursor=following)


@router.get("/{graph_id}/branches", summary="List the branches of a grid")
def list_branches(
    graph_id: GraphId, session: ReadingSession, limit: LimitQuery, start: StartQuery = 0
) -> BranchPage:
    """List branches with their electrical data, in the order of the grid."""
    items, following = columns.branch_page(service.load_grid(session, graph_id), start, limit)
    return BranchPage(items=items, next_cursor=following)


@router.delete("/{graph_id}", summary="Delete a grid", status_code=status.HTTP_204_NO_CONTENT)
def delete_graph(graph_id: GraphId, session: WritingSession) -> None:
    """Delete a grid with its labels and models; refused while an unfinished job uses it."""
    service.delete_graph(session, graph_id)


def _load_predecessor(database: Database, graph_id: str | None) -> Predecessor | None:
    if graph_id is None:
        return None
    with database.reading() as session:
        return service.load_predecessor(session, graph_id)


def _read_body(body: GridBody, settings: Settings) -> ReadGrid:
    limits = ReadLimits(
        buses=settings.bus_limit,
        branches=settings.branch_limit,
        memory_bytes=settings.read_memory_bytes,
        seconds=settings.read_seconds,
    )
    if isinstance(body, bytes):
        return read_json_source(body, limits)
    return read_upload(body, limits)
