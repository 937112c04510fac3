"""Working with a database that may be away for a while: wait and go on."""

import time
from collections.abc import Callable, Iterator
from typing import TypeVar

import structlog
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.orm import Session

from app.db import Database

Answer = TypeVar("Answer")

DATABASE_AWAY = (OperationalError, InterfaceError)
"""What a restarted, unreachable or busy database looks like from here."""

_FIRST_WAIT, _LONGEST_WAIT = 0.2, 10.0
_log = structlog.get_logger("levygrid.jobs")


def back_off() -> Iterator[float]:
    """Yield waits in seconds that double up to ten, without end."""
    wait = _FIRST_WAIT
    while True:
        yield wait
        wait = min(2 * wait, _LONGEST_WAIT)


def read_patiently(database: Database, operation: Callable[[Session], Answer]) -> Answer:
    """Read, again and again while the database is away."""

    def read() -> Answer:
        with database.reading() as session:
            return operation(session)

    return _repeat(read)


def write_patiently(database: Database, operation: Callable[[Session], Answer]) -> Answer:
    """Run a transaction, again and again while the database is away.

    ``operation`` must be fenced or idempotent: a commit whose answer was lost is run twice.
    """

    def write() -> Answer:
        with database.writing() as session:
            return operation(session)

    return _repeat(write)


def _repeat(action: Callable[[], Answer]) -> Answer:
    waits = back_off()
    while True:
        try:
            return action()
        except DATABASE_AWAY as error:
            wait = next(waits)
            _log.warning("database away", wait_seconds=wait, reason=str(error.orig))
            time.sleep(wait)
