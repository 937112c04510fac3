"""Queries that show whether stored answers still apply."""

from datetime import datetime
from typing import TypeAlias

from sqlalchemy import func, select
from sqlalchemy.orm import Session

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


def find_label_stamp(session: Session, graph_id: str, label: str) -> tuple[datetime, int] | None:
    """Return when a label set was stored, and its version; None if there is none."""
    query = select(LabelRow.created_at, LabelRow.version)
    row = session.execute(query.where(LabelRow.graph_id == graph_id, LabelRow.name == label))
    found = row.one_or_none()
    return None if found is None else (found.created_at, found.version)
