"""Rows of the labels table."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, undefer

from app.storage.tables import LabelRow


def find_label(session: Session, graph_id: str, name: str) -> LabelRow | None:
    """Return a label set with its classes."""
    options = [undefer(LabelRow.classes)]
    return session.get(LabelRow, (graph_id, name), options=options)


def insert_label(session: Session, row: LabelRow) -> bool:
    """Add a label set; False if the grid already has one of this name."""
    try:
        with session.begin_nested():
            session.add(row)
    except IntegrityError:
        return False
    return True


def list_labels(session: Session, graph_id: str) -> Sequence[LabelRow]:
    """Return the label sets of a grid with their classes, by name."""
    query = select(LabelRow).where(LabelRow.graph_id == graph_id).order_by(LabelRow.name)
    return session.scalars(query.options(undefer(LabelRow.classes))).all()
