"""Rows of the graphs table and of the labels table."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, undefer

from app.grid.grid import LabelSet
from app.grid.packing import pack_classes, unpack_classes
from app.storage.paging import fetch_page
from app.storage.tables import GraphRow, JobRow, LabelRow, ReplacedLabelRow


def insert_graph(session: Session, row: GraphRow, labels: Sequence[LabelRow]) -> bool:
    """Add a grid and its label sets; False if its content, name or version was just taken."""
    try:
        with session.begin_nested():
            session.add(row)
            session.flush()
            session.add_all(labels)
    except IntegrityError:
        return False
    return True


def find_graph(session: Session, graph_id: str) -> GraphRow | None:
    """Return a grid without its arrays."""
    return session.get(GraphRow, graph_id)


def find_graph_by_hash(session: Session, content_hash: str) -> GraphRow | None:
    """Return the grid with this content hash."""
    return session.scalar(select(GraphRow).where(GraphRow.content_hash == content_hash))


def find_arrays(session: Session, graph_id: str) -> bytes | None:
    """Return the packed columns of a grid."""
    return session.scalar(select(GraphRow.arrays).where(GraphRow.id == graph_id))


def find_grid_name(session: Session, graph_id: str) -> str | None:
    """Return the name of a grid, reading nothing else; None if the grid does not exist."""
    return session.scalar(select(GraphRow.name).where(GraphRow.id == graph_id))


def rename_family(session: Session, family: str, name: str) -> bool:
    """Rename all versions of a grid; False if another grid took the name at the same moment."""
    try:
        with session.begin_nested():
            session.execute(update(GraphRow).where(GraphRow.family == family).values(name=name))
    except IntegrityError:
        return False
    return True


def lock_family(session: Session, family: str) -> GraphRow | None:
    """Return the newest version of a family and lock all until the transaction ends."""
    query = select(GraphRow).where(GraphRow.family == family).with_for_update()
    return max(session.scalars(query).all(), key=lambda row: row.version, default=None)


def list_family(session: Session, family: str) -> Sequence[GraphRow]:
    """Return all versions of a grid, oldest first."""
    query = select(GraphRow).where(GraphRow.family == family).order_by(GraphRow.version)
    return session.scalars(query).all()


def list_labels(session: Session, graph_id: str) -> Sequence[LabelRow]:
    """Return the label sets of a grid without their classes, by name."""
    query = select(LabelRow).where(LabelRow.graph_id == graph_id).order_by(LabelRow.name)
    return session.scalars(query).all()


def find_label_set(session: Session, graph_id: str, name: str) -> LabelSet | None:
    """Return one label set with its classes."""
    row = session.get(LabelRow, (graph_id, name), options=[undefer(LabelRow.classes)])
    return None if row is None else _read_label_row(row)


def find_label_version(session: Session, graph_id: str, name: str) -> int | None:
    """Return the newest version of a label set, reading nothing else."""
    query = select(LabelRow.version).where(LabelRow.graph_id == graph_id, LabelRow.name == name)
    return session.scalar(query)


def list_label_sets(session: Session, graph_id: str) -> list[LabelSet]:
    """Return the label sets of a grid with their classes, by name."""
    query = select(LabelRow).where(LabelRow.graph_id == graph_id).order_by(LabelRow.name)
    rows = session.scalars(query.options(undefer(LabelRow.classes))).all()
    return [_read_label_row(row) for row in rows]


def make_label_row(graph_id: str, label_set: LabelSet, created_at: datetime) -> LabelRow:
    """Write a label set as a row."""
    return LabelRow(
        graph_id=graph_id,
        name=label_set.name,
        class_names=list(label_set.class_names),
        definition=label_set.definition,
        source=label_set.source,
        version=label_set.version,
        hides=dict(label_set.hides) or None,
        classes=pack_classes(label_set),
        created_at=created_at,
    )


def find_replaced_label_set(
    session: Session, graph_id: str, name: str, version: int
) -> LabelSet | None:
    """Return an earlier version of a label set with its classes."""
    key = {"graph_id": graph_id, "name": name, "version": version}
    row = session.get(ReplacedLabelRow, key)
    return None if row is None else _read_label_row(row)


def _read_label_row(row: LabelRow | ReplacedLabelRow) -> LabelSet:
    source: Any = row.source
    return LabelSet(
        name=row.name,
        class_names=tuple(row.class_names),
        classes=unpack_classes(row.classes),
        definition=row.definition,
        source=source,
        version=row.version,
        hides=row.hides or {},
    )


def list_graphs(
    session: Session, limit: int, cursor: str | None
) -> tuple[list[GraphRow], str | None]:
    """Return a page of grids, newest first."""
    columns = (GraphRow.created_at, GraphRow.id)
    return fetch_page(session, select(GraphRow), columns, limit, cursor)


def lock_graph(session: Session, graph_id: str) -> bool:
    """Lock a grid against new jobs until the transaction ends; False if it does not exist."""
    query = select(GraphRow.id).where(GraphRow.id == graph_id).with_for_update()
    return session.scalar(query) is not None


def list_unfinished_jobs(session: Session, graph_id: str) -> Sequence[str]:
    """Return the ids of queued and running jobs of a grid, oldest first."""
    query = select(JobRow.id).where(JobRow.graph_id == graph_id, JobRow.finished_at.is_(None))
    return session.scalars(query.order_by(JobRow.created_at, JobRow.id)).all()


def delete_graph(session: Session, graph_id: str) -> None:
    """Remove a grid; the database removes its label sets, models and predictions."""
    session.execute(delete(GraphRow).where(GraphRow.id == graph_id))
