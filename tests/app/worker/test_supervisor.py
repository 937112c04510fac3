import sys

import psutil
import pytest

from app.settings import Settings
from app.worker.supervisor import Supervisor
from tests.processes import wait_for


def workers() -> list[psutil.Process]:
    children = psutil.Process().children()
    return [child for child in children if "app.worker.local" in child.cmdline()]


def test_a_worker_that_cannot_be_started_is_retried(
    sqlite_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    supervisor = Supervisor(sqlite_settings, count=1)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", "/no/such/interpreter")
        supervisor.start()
        supervisor.join(timeout=1)
        assert supervisor.is_alive()
    try:
        wait_for(workers, "a worker")
    finally:
        supervisor.stop()
    assert workers() == []
