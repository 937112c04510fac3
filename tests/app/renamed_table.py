"""Provokes a database error that is not an outage, by renaming the jobs table."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import text

from app.storage.db import Database


@contextmanager
def renamed_jobs_table(database: Database) -> Iterator[None]:
    """Rename the jobs table until the end of the block."""
    _rename(database, "jobs", "hidden_jobs")
    try:
        yield
    finally:
        _rename(database, "hidden_jobs", "jobs")


def _rename(database: Database, old: str, new: str) -> None:
    with database.writing() as session:
        session.execute(text(f"ALTER TABLE {old} RENAME TO {new}"))
