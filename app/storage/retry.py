"""Working with a database that may be away for a while: wait and go on."""

import threading
from collections.abc import Callable, Iterator
from typing import TypeVar

import structlog
from sqlalchemy.exc import InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as NoConnectionFree
from sqlalchemy.orm import Session

from app.storage.db import Database

Answer = TypeVar("Answer")

DATABASE_AWAY = (OperationalError, InterfaceError, NoConnectionFree)
"""What a restarted, unreachable or busy database looks like from here."""

_FIRST_WAIT, _LONGEST_WAIT = 0.2, 10.0
_log = structlog.get_logger("levygrid.jobs")


def back_off() -> Iterator[float]:
    """Yield waits in seconds that double up to ten, without end."""
    wait = _FIRST_WAIT
    while True:
        yield wait
        wait = min(2 * wait, _LONGEST_WAIT)


def tell_outage(error: SQLAlchemyError) -> str:
    """Return the reason in the words of the driver, without statement and values."""
    return str(getattr(error, "orig", error))


def read_patiently(
    database: Database,
    operation: Callable[[Session], Answer],
    stop: threading.Event | None = None,
) -> Answer:
    """Read, again and again while the database is away.

    Raises: one of DATABASE_AWAY once ``stop`` is set, but not without a try.
    """

    def read() -> Answer:
        with database.reading() as session:
            return operation(session)

    return _repeat(read, stop or threading.Event())


def write_patiently(
    database: Database,
    operation: Callable[[Session], Answer],
    stop: threading.Event | None = None,
) -> Answer:
    """Run a transaction, again and again while the database is away.

    ``operation`` must be fenced or idempotent: a commit whose answer was lost is run twice.
    Raises: one of DATABASE_AWAY once ``stop`` is set, but not without a try.
    """

    def write() -> Answer:
        with database.writing() as session:
            return operation(session)

    return _repeat(write, stop or threading.Event())


def _repeat(action: Callable[[], Answer], stop: threading.Event) -> Answer:
    waits = back_off()
    while True:
        try:
            return action()
        except DATABASE_AWAY as error:
            wait = next(waits)
            _log.warning("database away", wait_seconds=wait, reason=tell_outage(error))
            if stop.wait(wait):
                raise
