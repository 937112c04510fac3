"""Queries that show whether stored answers still apply."""

from datetime import datetime
from typing import NamedTuple, TypeAlias

from sqlalchemy import func, select
from sqlalchemy.orm import Session, aliased

from app.storage.tables import ActiveModelRow, GraphRow, LabelRow

ServingState: TypeAlias = tuple[object, ...]


def read_state(session: Session) -> ServingState:
    """Return a value that changes with every promotion, label set and grid version.

    It consists of the number of rows and the newest time of three small tables.
    """
    queries = (
        select(func.count(), func.max(ActiveModelRow.promoted_at)).select_from(ActiveModelRow),
        select(func.count(), func.max(LabelRow.created_at), func.sum(LabelRow.version)).select_from(
            LabelRow
        ),
        select(func.count(), func.max(GraphRow.created_at)).select_from(GraphRow),
    )
    return tuple(value for query in queries for value in session.execute(query).one())


class ServedVersions(NamedTuple):
    """Version of a grid, the newest of its family, and the stored version of a label set."""

    grid: int
    newest_grid: int
    labels: int | None
    labels_stored_at: datetime | None


def find_versions(session: Session, graph_id: str, label: str) -> ServedVersions | None:
    """Return the versions of a grid and of its label set; None if there is no such grid."""
    family = aliased(GraphRow)
    newest = select(func.max(family.version)).where(family.family == GraphRow.family)
    query = select(
        GraphRow.version, newest.scalar_subquery(), LabelRow.version, LabelRow.created_at
    ).outerjoin(LabelRow, (LabelRow.graph_id == GraphRow.id) & (LabelRow.name == label))
    row = session.execute(query.where(GraphRow.id == graph_id)).one_or_none()
    return None if row is None else ServedVersions(*row)
