"""Rows of the idempotency keys table."""

from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.storage.tables import IdempotencyKeyRow

_MOST_PRUNED = 1000


def find_key(session: Session, key: str) -> IdempotencyKeyRow | None:
    """Return the row of a key as it is in the database now."""
    return session.get(IdempotencyKeyRow, key, populate_existing=True)


def insert_key(session: Session, row: IdempotencyKeyRow) -> bool:
    """Insert a key; return False if it exists already.

    The second of two simultaneous transactions waits here for the end of the first.
    """
    try:
        with session.begin_nested():
            session.add(row)
    except IntegrityError:
        return False
    return True


def delete_expired_keys(session: Session, key: str, created_before: datetime) -> None:
    """Delete the key if it has expired, and up to 1,000 other expired keys.

    Rows that another transaction is deleting at the same time are skipped.
    """
    expired = IdempotencyKeyRow.created_at < created_before
    session.execute(delete(IdempotencyKeyRow).where(IdempotencyKeyRow.key == key, expired))
    others = (
        select(IdempotencyKeyRow.key)
        .where(expired)
        .limit(_MOST_PRUNED)
        .with_for_update(skip_locked=True)
    )
    session.execute(delete(IdempotencyKeyRow).where(IdempotencyKeyRow.key.in_(others)))
