"""Rows of the replays table."""

from sqlalchemy.orm import Session

from app.storage.tables import ReplayRow


def insert_replay(session: Session, row: ReplayRow) -> None:
    """Add the result of a replay."""
    session.add(row)
    session.flush()
