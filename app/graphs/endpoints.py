"""Endpoints of /graphs: store, list, show, rename, compare and delete grids."""

from dataclasses import replace
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Request, Response, status
from fastapi.responses import RedirectResponse

from app.graphs import columns, service
from app.graphs.body import GridBody, describe_body
from app.graphs.names import rename_grid
from app.graphs.schemas import (
    BranchPage,
    BusOut,
    BusPage,
    DifferenceOut,
    GraphDetailOut,
    GraphOut,
    GraphPage,
    RenameIn,
    TopologyOut,
    VersionsOut,
    read_new_name,
)
from app.grid import bus_search
from app.grid.report import ReadGrid
from app.grid.text_rules import name_by_file
from app.grid.versions import Predecessor, carry_over
from app.http.json_body import StrictJsonRoute
from app.http.responses import respond_columns
from app.ingest.json_source import read_json_source
from app.ingest.protocol import ReadLimits
from app.ingest.upload import read_upload
from app.settings import Settings
from app.storage.db import Database, DatabaseDep, ReadingSession, WritingSession
from app.storage.graph_names import get_named
from app.storage.paging import CursorQuery, LimitQuery

router = APIRouter(prefix="/graphs", tags=["graphs"], route_class=StrictJsonRoute)

GraphId = Annotated[str, Path(max_length=64)]
GraphName = Annotated[str, Path(max_length=200, description="Name of the grid.")]
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
        str | None,
        Query(
            max_length=200,
            description="Id or name of a grid: store this one as its newest version.",
        ),
    ] = None,
) -> GraphDetailOut:
    """Store a built-in case by name, a topology as JSON, or a file of a supported format.

    The name is that of the request, else that of the file. A grid that has the name and at least
    half of the branches of a stored one becomes its newest version, as with `version_of`; an
    unrelated grid of the same name gets a number: `grid (2)`. A new version takes over labels and
    aliases by bus id; the import report lists the differences. `report.checks` counts the
    findings of the checks of the grid model.
    """
    before = _load_predecessor(database, version_of)
    read = _read_body(body, request.app.state.settings)
    content_hash = service.hash_read(read)
    read = _name_by_file(read, body)
    with database.reading() as session:
        stored = service.find_by_hash(session, content_hash)
        if stored is None and before is None:
            before = service.find_predecessor(session, read.grid)
    if stored is None:
        read = service.count_findings(read if before is None else carry_over(before, read))
    with database.writing() as session:
        row, is_new = service.store_grid(session, read, before, content_hash)
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


@router.get("/by-name/{name}", summary="Show the newest version of a grid by its name")
def get_graph_by_name(name: GraphName, session: ReadingSession) -> GraphDetailOut:
    """Show the newest version of the grid with this name: the one that was sent last.

    An unknown name is 404 with similar names as `suggestions`.
    """
    return GraphDetailOut.from_detail(service.get_detail(session, get_named(session, name).id))


@router.get(
    "/by-name/{name}/{part:path}",
    summary="Get a part of the newest version of a grid by its name",
    status_code=status.HTTP_307_TEMPORARY_REDIRECT,
    response_class=RedirectResponse,
)
def redirect_by_name(
    name: GraphName,
    part: Annotated[
        str, Path(max_length=400, description="The rest of the path.", examples=["export/geojson"])
    ],
    request: Request,
    session: ReadingSession,
) -> RedirectResponse:
    """Redirect to the same part of the newest version, such as `buses`, `labels` or `checks`."""
    target = f"/graphs/{get_named(session, name).id}/{quote(part)}"
    return RedirectResponse(f"{target}?{request.url.query}" if request.url.query else target)


@router.patch("/{graph_id}", summary="Rename a grid")
def rename_graph(graph_id: GraphId, body: RenameIn, session: WritingSession) -> GraphDetailOut:
    """Rename a grid with all its versions; 409 if another grid has the name."""
    rename_grid(session, service.get_graph(session, graph_id), read_new_name(body))
    return GraphDetailOut.from_detail(service.get_detail(session, graph_id))


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
    graph_id: GraphId,
    session: ReadingSession,
    limit: LimitQuery,
    start: StartQuery = 0,
    q: Annotated[
        str | None,
        Query(
            max_length=200,
            pattern=r"\S",
            description="Only buses with this text in their id, name, alias or substation.",
            examples=["chester"],
        ),
    ] = None,
) -> BusPage:
    """List buses with their features, in the order of the grid, or search for some of them.

    A search with `q` ignores case and accents. Best first: equal texts, texts that begin with
    `q`, words that begin with it, any part; within these ids, names, aliases, substations.
    """
    return columns.bus_page(service.load_grid(session, graph_id), start, limit, q)


@router.get("/{graph_id}/buses/{bus_id:path}", summary="Show one bus")
def get_bus(
    graph_id: GraphId,
    bus_id: Annotated[str, Path(max_length=200, description="Id, name or alias of the bus.")],
    session: ReadingSession,
) -> BusOut:
    """Show one bus with its features; 404 with similar buses as `suggestions` if it is unknown."""
    grid = service.load_grid(session, graph_id)
    return columns.describe_bus(grid, bus_search.get_bus(grid, bus_id))


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


def _load_predecessor(database: Database, version_of: str | None) -> Predecessor | None:
    if version_of is None:
        return None
    with database.reading() as session:
        return service.load_predecessor(session, version_of)


def _name_by_file(read: ReadGrid, body: GridBody) -> ReadGrid:
    name = "" if isinstance(body, bytes) or body.options.name else name_by_file(body.file_name)
    return replace(read, grid=replace(read.grid, name=name)) if name else read


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
