"""A failure that is no outage: Postgres refuses statements on a table that is not there."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import text

from app.storage.db import Database


@contextmanager
def hidden_jobs(database: Database) -> Iterator[None]:
    """Give the table of jobs another name for a while."""
    _rename(database, "jobs", "hidden_jobs")
    try:
        yield
    finally:
        _rename(database, "hidden_jobs", "jobs")


def _rename(database: Database, old: str, new: str) -> None:
    with database.writing() as session:
        session.execute(text(f"ALTER TABLE {old} RENAME TO {new}"))
