"""Starts sweeps over HTTP and waits for real workers to finish them."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from app.worker.dispatchers import choose_dispatcher
from tests.app.worker.conftest import Bench
from tests.processes import wait_for

PATIENT = {"lease_seconds": "120", "heartbeat_seconds": "1", "checkpoint_seconds": "60"}
"""For workers that are not killed: a busy machine must not make them lose their jobs."""
ENDED = {"succeeded", "failed", "cancelled"}


@dataclass(frozen=True)
class SweepService:
    """The API on the database of a bench."""

    api: TestClient
    bench: Bench

    def start(
        self, sweep: dict[str, Any], config: dict[str, Any], *, baselines: bool = False
    ) -> str:
        """Start a sweep and return its path."""
        body = {"graph_id": self.bench.graph_id, "config": config, "baselines": baselines}
        answer = self.api.post("/train", json=body | {"sweep": sweep})
        assert answer.status_code == 202, answer.text
        place: str = answer.headers["location"]
        return place

    def look(self, place: str) -> dict[str, Any]:
        """Return the current state of the sweep."""
        answer: dict[str, Any] = self.api.get(place).json()
        return answer

    def wait(
        self, place: str, condition: Callable[[dict[str, Any]], bool], what: str
    ) -> dict[str, Any]:
        """Wait until the sweep meets the condition."""

        def look() -> dict[str, Any] | None:
            sweep = self.look(place)
            if condition(sweep):
                return sweep
            time.sleep(0.2)  # the workers need the machine
            return None

        return wait_for(look, what)

    def wait_for_end(self, place: str) -> dict[str, Any]:
        """Wait until every job has ended."""
        return self.wait(place, lambda sweep: sweep["state"] in ENDED, "the end of the sweep")


def api_on(bench: Bench) -> TestClient:
    """Return the API on the database, and with the broker, of a bench."""
    settings = Settings(**bench.settings)  # type: ignore[arg-type]  # as from the environment
    return TestClient(create_app(settings, choose_dispatcher(settings)))
