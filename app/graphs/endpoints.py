"""POST and GET /graphs, GET and DELETE /graphs/{id}, its buses and branches."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response, status

from app.graphs import columns, service
from app.graphs.body import GridBody, describe_body
from app.graphs.schemas import (
    BranchOut,
    BranchPage,
    BusOut,
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
from app.ingest.protocol import Limits
from app.ingest.upload import read_upload
from app.settings import Settings
from app.storage.db import Database, DatabaseDep, ReadingSession, WritingSession
from app.storage.paging import CursorQuery, LimitQuery

router = APIRouter(prefix="/graphs", tags=["graphs"])

GraphId = Annotated[str, Path(max_length=64)]
StartQuery = Annotated[
    int, Query(ge=0, le=10**9, alias="cursor", description="`next_cursor` of the page before.")
]


@router.post(
    "",
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
        str | None, Query(max_length=64, description="The grid that this is a new version of.")
    ] = None,
) -> GraphDetailOut:
    """Store a grid: a built-in case by name, a topology, or a file of a known format.

    As a new version of another grid it takes over labels and aliases by bus id, and the report
    tells the difference.
    """
    before = _load_predecessor(database, version_of)
    read = _read_body(body, request.app.state.settings)
    if before is not None:
        with database.reading() as session:
            stored = service.find_stored(session, read)
        read = read if stored else carry_over(before, read)
    with database.writing() as session:
        row, is_new = service.store_grid(session, read, before)
        detail = service.get_detail(session, row.id)
    response.headers["Location"] = f"/graphs/{row.id}"
    if not is_new:
        response.status_code = status.HTTP_200_OK
    return GraphDetailOut.from_detail(detail)


@router.get("")
def list_graphs(
    session: ReadingSession, limit: LimitQuery, cursor: CursorQuery = None
) -> GraphPage:
    """List grids, newest first."""
    rows, next_cursor = service.list_graphs(session, limit, cursor)
    return GraphPage(items=[GraphOut.from_row(row) for row in rows], next_cursor=next_cursor)


@router.get("/{graph_id}")
def get_graph(graph_id: GraphId, session: ReadingSession) -> GraphDetailOut:
    """Show a grid: counts, features, label sets, and the report of its import."""
    return GraphDetailOut.from_detail(service.get_detail(session, graph_id))


@router.get("/{graph_id}/versions")
def list_versions(graph_id: GraphId, session: ReadingSession) -> VersionsOut:
    """List all versions of a grid, the oldest first."""
    rows = service.list_versions(session, graph_id)
    return VersionsOut(items=[GraphOut.from_row(row) for row in rows])


@router.get("/{graph_id}/difference/{other_id}")
def get_difference(graph_id: GraphId, other_id: GraphId, session: ReadingSession) -> DifferenceOut:
    """Say what changed from one grid to another: two versions, or the same grid from two files."""
    difference = service.compare_grids(session, graph_id, other_id)
    return DifferenceOut.from_difference(difference, graph_id, other_id)


@router.get("/{graph_id}/topology", response_model=TopologyOut)
def get_topology(graph_id: GraphId, session: ReadingSession) -> Response:
    """Send a whole grid as columns: ids, names, coordinates, branches."""
    return respond_columns(columns.topology_columns(graph_id, service.load_grid(session, graph_id)))


@router.get("/{graph_id}/buses")
def list_buses(
    graph_id: GraphId, session: ReadingSession, limit: LimitQuery, start: StartQuery = 0
) -> BusPage:
    """List the buses of a grid in its order, with their features."""
    items, following = columns.bus_page(service.load_grid(session, graph_id), start, limit)
    return BusPage(items=[BusOut(**item) for item in items], next_cursor=following)


@router.get("/{graph_id}/branches")
def list_branches(
    graph_id: GraphId, session: ReadingSession, limit: LimitQuery, start: StartQuery = 0
) -> BranchPage:
    """List the branches of a grid in its order."""
    items, following = columns.branch_page(service.load_grid(session, graph_id), start, limit)
    return BranchPage(items=[BranchOut(**item) for item in items], next_cursor=following)


@router.delete("/{graph_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_graph(graph_id: GraphId, session: WritingSession) -> None:
    """Delete a grid with its labels and models; not while a job uses it."""
    service.delete_graph(session, graph_id)


def _load_predecessor(database: Database, graph_id: str | None) -> Predecessor | None:
    if graph_id is None:
        return None
    with database.reading() as session:
        return service.load_predecessor(session, graph_id)


def _read_body(body: GridBody, settings: Settings) -> ReadGrid:
    limits = Limits(
        buses=settings.bus_limit,
        branches=settings.branch_limit,
        memory_bytes=settings.read_memory_bytes,
        seconds=settings.read_seconds,
    )
    if isinstance(body, bytes):
        return read_json_source(body, limits)
    return read_upload(body, limits)
