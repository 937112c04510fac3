"""Stores grids once per content, loads them from memory, translates them for ``ml``."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from uuid import uuid4

import msgspec
import numpy as np
from sqlalchemy.orm import Session

from app.checks.checked_grid import CheckedGrid
from app.checks.registry import check_grid
from app.checks.report import CheckReport
from app.errors import Conflict, GraphInUse, GraphNotFound, LabelNotFound, TrainingRejected
from app.graphs import repository
from app.graphs.names import find_namesakes, make_newest, place_row
from app.grid.branches import describe_branches
from app.grid.difference import GridDifference, describe_difference
from app.grid.grid import Grid, LabelSet
from app.grid.listing import join_first
from app.grid.packing import hash_content, pack_grid, unpack_grid
from app.grid.places import add_substations, complete_substations, describe_substations, find_places
from app.grid.report import CheckCounts, ImportReport, ReadGrid, SubstationReport
from app.grid.versions import Predecessor, is_same_grid
from app.storage.cache import BoundedCache
from app.storage.db import current_time
from app.storage.graph_names import LOCAL_OWNER, find_named
from app.storage.tables import GraphRow, LabelRow
from ml import Graph, Surroundings
from ml.errors import Fault

_GRIDS_REMEMBERED = 8
_MOST_ATTEMPTS = 3
_grids: BoundedCache[Grid] = BoundedCache(_GRIDS_REMEMBERED)


@dataclass(frozen=True, eq=False)
class GraphDetail:
    """A grid and its label sets, without arrays."""

    row: GraphRow
    labels: Sequence[LabelRow]
    substations: SubstationReport


def store_grid(
    session: Session,
    read: ReadGrid,
    before: Predecessor | None = None,
    content_hash: str | None = None,
) -> tuple[GraphRow, bool]:
    """Store a grid with its label sets; the same content again is the same grid.

    With a predecessor it becomes the newest version of the predecessor's family, as does a
    stored version that is sent again. Substations that the source does not give are derived and
    stored; the content hash covers neither them nor what was carried over.
    Returns the row and whether it is new.
    """
    content_hash = content_hash or hash_read(read)
    complete = add_substations(read)
    for _ in range(_MOST_ATTEMPTS):
        stored = repository.find_graph_by_hash(session, content_hash)
        if stored is not None:
            make_newest(session, stored)
            return stored, False
        row = _make_row(session, complete, content_hash)
        place_row(session, row, before)
        labels = [
            repository.make_label_row(row.id, label_set, row.created_at)
            for label_set in read.label_sets
        ]
        if repository.insert_graph(session, row, labels):
            return row, True
    raise Conflict("Other requests stored grids of the same name meanwhile; send it again.")


def count_findings(read: ReadGrid) -> ReadGrid:
    """Check the model of a grid that is not yet stored; its report gets the number of findings."""
    checked = CheckedGrid(complete_substations(read.grid), read.label_sets)
    found = check_grid(checked, most=0)
    counts = CheckCounts(found.errors, found.warnings, found.notes)
    return replace(read, report=msgspec.structs.replace(read.report, checks=counts))


def check_stored(
    session: Session, graph_id: str, without: Collection[str], most: int
) -> CheckReport:
    """Check the model of a stored grid. Raises: GraphNotFound, Rejected for an unknown rule."""
    grid = load_grid(session, graph_id)
    label_sets = repository.list_label_sets(session, graph_id)
    return check_grid(CheckedGrid(grid, label_sets), without, most)


def hash_read(read: ReadGrid) -> str:
    """Return the hash of the content of a grid as it was sent."""
    return hash_content(pack_grid(read.grid), read.label_sets)


def find_by_hash(session: Session, content_hash: str) -> GraphRow | None:
    """Return the stored grid with this content hash, if there is one."""
    return repository.find_graph_by_hash(session, content_hash)


def get_graph(session: Session, graph_id: str) -> GraphRow:
    """Return a grid without its arrays. Raises: GraphNotFound."""
    row = repository.find_graph(session, graph_id)
    if row is None:
        raise _not_found(graph_id)
    return row


def get_detail(session: Session, graph_id: str) -> GraphDetail:
    """Return a grid and its label sets without classes. Raises: GraphNotFound."""
    row = get_graph(session, graph_id)
    stored = row.report.get("substations")
    if stored is None:  # stored before grids had substations
        substations = describe_substations(load_grid(session, graph_id))
    else:
        substations = msgspec.convert(stored, SubstationReport)
    return GraphDetail(row, repository.list_labels(session, graph_id), substations)


def load_predecessor(session: Session, id_or_name: str) -> Predecessor:
    """Return the grid and label sets that a new version builds on. Raises: GraphNotFound."""
    row = repository.find_graph(session, id_or_name) or find_named(session, id_or_name)
    if row is None:
        raise _not_found(id_or_name)
    label_sets = repository.list_label_sets(session, row.id)
    return Predecessor(row.id, row.family, load_grid(session, row.id), label_sets)


def find_predecessor(session: Session, grid: Grid) -> Predecessor | None:
    """Return the stored grid of the same name that a new grid is an edited copy of, if any."""
    for row in find_namesakes(session, grid):
        before = load_predecessor(session, row.id)
        if is_same_grid(before.grid, grid):
            return before
    return None


def get_label_set(
    session: Session, graph_id: str, name: str, version: int | None = None
) -> LabelSet:
    """Return one label set of a grid, the newest version by default.

    Raises: GraphNotFound, LabelNotFound.
    """
    label_set = repository.find_label_set(session, graph_id, name)
    if label_set is not None and version not in (None, label_set.version):
        earlier = repository.find_replaced_label_set(session, graph_id, name, version or 0)
        if earlier is None:
            raise LabelNotFound(f"The label set {name!r} has no version {version}.")
        return earlier
    if label_set is not None:
        return label_set
    names = [label.name for label in get_detail(session, graph_id).labels]
    choice = f"it has {', '.join(map(repr, names))}" if names else "it has none"
    message = f"Grid {graph_id!r} has no label set {name!r}; {choice}."
    raise LabelNotFound(message, get_close_matches(name, names, n=3))


def find_label_set(session: Session, graph_id: str, name: str) -> LabelSet | None:
    """Return one label set of a grid if it exists."""
    return repository.find_label_set(session, graph_id, name)


def find_label_version(session: Session, graph_id: str, name: str) -> int | None:
    """Return the newest version of a label set, reading nothing else."""
    return repository.find_label_version(session, graph_id, name)


def list_label_sets(session: Session, graph_id: str) -> list[LabelSet]:
    """Return all label sets of a grid, by name. Raises: GraphNotFound."""
    get_graph(session, graph_id)
    return repository.list_label_sets(session, graph_id)


def list_versions(session: Session, graph_id: str) -> Sequence[GraphRow]:
    """Return all versions of a grid, oldest first. Raises: GraphNotFound."""
    return repository.list_family(session, get_graph(session, graph_id).family)


def compare_grids(session: Session, before_id: str, after_id: str) -> GridDifference:
    """Compare any two grids, of one family or not. Raises: GraphNotFound."""
    ids = (get_graph(session, graph_id).id for graph_id in (before_id, after_id))
    before, after = (load_predecessor(session, graph_id) for graph_id in ids)
    return describe_difference(before.grid, after.grid, before.label_sets, after.label_sets)


def list_graphs(
    session: Session, limit: int, cursor: str | None
) -> tuple[list[GraphRow], str | None]:
    """Return a page of grids, newest first, and the cursor of the next page."""
    return repository.list_graphs(session, limit, cursor)


def load_grid(session: Session, graph_id: str) -> Grid:
    """Return all columns of a grid; recently used grids come from memory.

    Raises: GraphNotFound, StoredDataDamaged.
    """
    name = repository.find_grid_name(session, graph_id)
    if name is None:
        raise _not_found(graph_id)

    def load() -> Grid:
        blob = repository.find_arrays(session, graph_id)
        if blob is None:
            raise _not_found(graph_id)
        return complete_substations(replace(unpack_grid(blob), name=name))

    return _grids.get_or_load(f"{graph_id} {name}", load)


def to_ml_graph(
    grid: Grid, label: LabelSet | None = None, feature_names: Sequence[str] | None = None
) -> Graph:
    """Translate a grid of buses and branches into a graph of nodes and edges.

    ``feature_names`` selects columns, also those of ``bus_columns``; None selects all features.
    Raises: TrainingRejected naming every column that the grid does not have.
    """
    chosen = grid.feature_names if feature_names is None else tuple(feature_names)
    columns = [column for name in chosen if (column := grid.find_column(name)) is not None]
    if len(columns) < len(chosen):
        unknown = [name for name in chosen if grid.find_column(name) is None]
        faults = [Fault("features", f"the grid has no column {name!r}") for name in unknown]
        raise TrainingRejected("The grid lacks requested features.", faults)
    return Graph(
        node_count=grid.bus_count,
        edges=grid.ends,
        weights=grid.weights,
        features=np.column_stack(columns) if columns else np.zeros((grid.bus_count, 0)),
        feature_names=chosen,
        labels=np.zeros(0, dtype=np.int64) if label is None else label.classes,
        class_names=() if label is None else label.class_names,
    )


def read_surroundings(grid: Grid) -> Surroundings:
    """Return substations, places and branches of the buses, for folds and methods that use them."""
    places = find_places(grid)
    return Surroundings(places.groups, places.coordinates, describe_branches(grid))


def delete_graph(session: Session, graph_id: str) -> None:
    """Remove a grid with its label sets and models.

    Raises: GraphNotFound, GraphInUse while a queued or running job uses it.
    """
    if not repository.lock_graph(session, graph_id):
        raise _not_found(graph_id)
    jobs = repository.list_unfinished_jobs(session, graph_id)
    if jobs:
        raise GraphInUse(
            f"{len(jobs)} unfinished job(s) use grid {graph_id!r}; cancel them first: "
            f"{join_first(jobs)}"
        )
    repository.delete_graph(session, graph_id)


def _not_found(graph_id: str) -> GraphNotFound:
    return GraphNotFound(f"There is no grid {graph_id!r}.")


def _make_row(session: Session, read: ReadGrid, content_hash: str) -> GraphRow:
    grid = read.grid
    graph_id = uuid4().hex
    return GraphRow(
        id=graph_id,
        owner=LOCAL_OWNER,
        name=grid.name,
        source=grid.source,
        content_hash=content_hash,
        bus_count=grid.bus_count,
        branch_count=grid.branch_count,
        island_count=read.report.islands,
        feature_names=list(grid.feature_names),
        report=msgspec.to_builtins(_name_checks(read.report, graph_id)),
        arrays=pack_grid(grid),
        family=graph_id,
        version=1,
        created_at=current_time(session),
    )


def _name_checks(report: ImportReport, graph_id: str) -> ImportReport:
    if report.checks is None:
        return report
    checks = msgspec.structs.replace(report.checks, path=f"/graphs/{graph_id}/checks")
    return msgspec.structs.replace(report, checks=checks)
