"""Engine, sessions and transactions: the only file that commits."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import Depends, Request
from sqlalchemy import Connection, Engine, create_engine, event, func, select
from sqlalchemy.orm import Session

_BUSY_TIMEOUT_MS = 30_000
_LOCK_TIMEOUT_MS = 10_000
_IDLE_TIMEOUT_MS = 60_000


class Database:
    """One engine with two kinds of session: reading, and writing in one transaction."""

    def __init__(self, url: str) -> None:
        self.engine = _make_engine(url)
        self._writer = self.engine.execution_options(writing=True)
        self.commits = 0
        """Number of transactions that this process has committed: what was cached before one may
        be out of date. Two that end at the same moment may count as one."""

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Open a session that sees one consistent state and does not write."""
        with Session(self.engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Open a session that commits at the end, or rolls back if anything is raised."""
        with Session(self._writer, expire_on_commit=False) as session:
            with session.begin():
                yield session
            self.commits += 1

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()


def current_time(session: Session) -> datetime:
    """Return the time of the database's clock, on which all hosts agree for leases."""
    if session.get_bind().dialect.name == "sqlite":
        return datetime.now(UTC)
    moment: datetime = session.execute(select(func.clock_timestamp())).scalar_one()
    return moment


def _make_engine(url: str) -> Engine:
    if url.startswith("sqlite"):
        engine = create_engine(url, connect_args={"check_same_thread": False})
        event.listen(engine, "connect", _configure_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    options = (
        f"-c lock_timeout={_LOCK_TIMEOUT_MS}"
        f" -c idle_in_transaction_session_timeout={_IDLE_TIMEOUT_MS}"
    )
    return create_engine(url, pool_pre_ping=True, connect_args={"options": options})


def _configure_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # _begin_sqlite issues BEGIN
    for pragma in (
        "journal_mode=WAL",
        f"busy_timeout={_BUSY_TIMEOUT_MS}",
        "foreign_keys=ON",
        "synchronous=NORMAL",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    # A writer locks at once: a transaction that reads first cannot wait for the lock later on.
    writing = connection.get_execution_options().get("writing", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def _database(request: Request) -> Database:
    database: Database = request.app.state.database
    return database


DatabaseDep = Annotated[Database, Depends(_database)]


def _reading(database: DatabaseDep) -> Iterator[Session]:
    with database.reading() as session:
        yield session


def _writing(database: DatabaseDep) -> Iterator[Session]:
    with database.writing() as session:
        yield session


# scope="function": the commit happens before the response is sent, so a client never receives
# a 201 and then a 404 for the same resource.
ReadingSession = Annotated[Session, Depends(_reading, scope="function")]
WritingSession = Annotated[Session, Depends(_writing, scope="function")]
