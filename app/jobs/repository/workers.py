"""Rows of the workers table."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, select
from sqlalchemy.orm import Session

from app.storage.tables import WorkerRow


def store_heartbeat(session: Session, row: WorkerRow, now: datetime) -> None:
    """Insert or update the row of a worker with a heartbeat of now."""
    session.merge(
        WorkerRow(
            name=row.name,
            host=row.host,
            queues=row.queues,
            device=row.device,
            concurrency=row.concurrency,
            heartbeat_at=now,
        )
    )


def delete_worker(session: Session, name: str) -> None:
    """Delete the row of a worker."""
    session.execute(delete(WorkerRow).where(WorkerRow.name == name))


def delete_silent_workers(session: Session, now: datetime, seconds: float) -> None:
    """Delete workers without a heartbeat in the last ``seconds``."""
    session.execute(delete(WorkerRow).where(_is_silent(now, seconds)))


def list_workers(session: Session, now: datetime, seconds: float) -> Sequence[WorkerRow]:
    """Return the workers with a heartbeat in the last ``seconds``, by name."""
    alive = ~_is_silent(now, seconds)
    return session.scalars(select(WorkerRow).where(alive).order_by(WorkerRow.name)).all()


def _is_silent(now: datetime, seconds: float) -> ColumnElement[bool]:
    return WorkerRow.heartbeat_at < now - timedelta(seconds=seconds)
