import threading
from collections.abc import Callable

import pytest
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionFree
from sqlalchemy.orm import Session

from app.jobs import service
from app.storage.db import Database
from app.storage.retry import describe_outage, read_with_retry, write_with_retry

NOWHERE = "postgresql+psycopg://nobody@127.0.0.1:1/nothing"


@pytest.mark.parametrize("run_with_retry", [read_with_retry, write_with_retry])
def test_retries_end_once_the_stop_event_is_set(
    run_with_retry: Callable[..., bool],
) -> None:
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    with pytest.raises(OperationalError):
        run_with_retry(Database(NOWHERE), service.has_work, stop)
    assert stop.is_set()


def test_an_operation_is_attempted_once_even_if_stop_is_already_set(database: Database) -> None:
    stop = threading.Event()
    stop.set()
    assert write_with_retry(database, service.has_work, stop) is False


def test_an_exhausted_connection_pool_is_retried(database: Database) -> None:
    tries = []

    def read(session: Session) -> bool:
        tries.append(session)
        if len(tries) == 1:
            raise NoConnectionFree("QueuePool limit reached")
        return True

    assert read_with_retry(database, read)
    assert len(tries) == 2


def test_an_outage_is_described_without_the_statement() -> None:
    away = OperationalError("SELECT secret", {}, Exception("connection refused"))
    assert describe_outage(away) == "connection refused"
    assert describe_outage(NoConnectionFree("QueuePool limit reached")) == "QueuePool limit reached"
