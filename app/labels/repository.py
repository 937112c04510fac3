"""Rows of the labels table and of the suitability reports."""

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.storage.tables import LabelRow, SuitabilityRow


def insert_label(session: Session, row: LabelRow) -> bool:
    """Add a label set; False if the grid already has one of this name."""
    try:
        with session.begin_nested():
            session.add(row)
    except IntegrityError:
        return False
    return True


def lock_label(session: Session, graph_id: str, name: str) -> bool:
    """Lock a label set until the transaction ends; False if it does not exist."""
    query = select(LabelRow.name).where(LabelRow.graph_id == graph_id, LabelRow.name == name)
    return session.scalar(query.with_for_update()) is not None


def find_suitability(session: Session, graph_id: str, name: str) -> SuitabilityRow | None:
    """Return the row of a suitability report, which may still wait for its job."""
    return session.get(SuitabilityRow, (graph_id, name), populate_existing=True)


def insert_suitability(session: Session, row: SuitabilityRow) -> None:
    """Add the row of a suitability report; the caller holds the lock of the label set."""
    session.add(row)
    session.flush()
