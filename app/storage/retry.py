"""Retries database operations with exponential back-off while the database is unreachable."""

import threading
from collections.abc import Callable
from typing import TypeVar

import structlog
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionFree
from sqlalchemy.orm import Session
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    sleep_using_event,
    stop_when_event_set,
    wait_exponential,
)

from app.storage.db import Database

Answer = TypeVar("Answer")

DATABASE_AWAY = (OperationalError, InterfaceError, NoConnectionFree)
"""Errors of a database that is restarting, unreachable or out of connections."""

BACK_OFF = wait_exponential(multiplier=0.2, max=10.0)
_log = structlog.get_logger("levygrid.jobs")


def describe_outage(error: BaseException | None) -> str:
    """Return the driver's message, without the SQL statement and its values."""
    return str(getattr(error, "orig", error))


def read_with_retry(
    database: Database,
    operation: Callable[[Session], Answer],
    stop: threading.Event | None = None,
) -> Answer:
    """Run a reading operation; retry it while the database is away.

    Raises: one of DATABASE_AWAY once ``stop`` is set, after at least one attempt.
    """

    def read() -> Answer:
        with database.reading() as session:
            return operation(session)

    return _retry(read, stop or threading.Event())


def write_with_retry(
    database: Database,
    operation: Callable[[Session], Answer],
    stop: threading.Event | None = None,
) -> Answer:
    """Run a transaction; retry it while the database is away.

    ``operation`` must be fenced or idempotent: it runs twice if the reply to a commit is lost.
    Raises: one of DATABASE_AWAY once ``stop`` is set, after at least one attempt.
    """

    def write() -> Answer:
        with database.writing() as session:
            return operation(session)

    return _retry(write, stop or threading.Event())


def _retry(operation: Callable[[], Answer], stop: threading.Event) -> Answer:
    retrying = Retrying(
        retry=retry_if_exception_type(DATABASE_AWAY),
        wait=BACK_OFF,
        sleep=sleep_using_event(stop),
        stop=stop_when_event_set(stop),
        before_sleep=_log_outage,
        reraise=True,
    )
    return retrying(operation)


def _log_outage(state: RetryCallState) -> None:
    error = state.outcome.exception() if state.outcome is not None else None
    _log.warning(
        "database unreachable", retry_in_seconds=state.upcoming_sleep, reason=describe_outage(error)
    )
