"""Sweeps with real workers: killed, cancelled, delivered by a broker."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from app.storage.tables import ModelRow
from tests.app.sweeps.service import PATIENT, SweepService, api_on
from tests.app.worker.conftest import LONG, make_bench
from tests.processes import wait_for
from tests.servers import ValkeyServer

pytestmark = pytest.mark.long

SEARCH: dict[str, Any] = {
    "search": {"budget": 3, "space": {"alpha": {"low": 0.1, "high": 0.9}, "width": [4, 8]}}
}
WIDTHS: dict[str, Any] = {"grid": {"width": [4, 8, 16]}}
KILLABLE = {"lease_seconds": "10", "heartbeat_seconds": "1"}


@pytest.mark.parametrize(
    "service", ["postgres", pytest.param("sqlite", marks=pytest.mark.slow)], indirect=True
)
def test_a_search_continues_after_a_worker_is_killed(service: SweepService) -> None:
    place = service.start(SEARCH, {"epochs": 150, "patience": None})
    bench = service.bench
    first = bench.start_worker(**KILLABLE)
    bench.wait_for_checkpoint(service.look(place)["results"][0]["job_id"])
    first.send(signal.SIGKILL)
    wait_for(lambda: not first.survivors(), "the end of the trainer")
    assert service.look(place)["state"] == "running"
    bench.start_worker(**KILLABLE)
    bench.start_worker(**KILLABLE)
    sweep = service.wait_for_end(place)
    assert sweep["jobs"]["succeeded"] == sweep["jobs"]["total"] == 3
    attempts = [bench.job(row["job_id"]).attempt for row in sweep["results"]]
    assert sorted(attempts) == [1, 1, 2]
    assert sweep["best"]["validation"] == max(row["validation"] for row in sweep["results"])
    with bench.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(ModelRow)) == 3


def test_a_running_sweep_is_cancelled_as_a_whole(service: SweepService) -> None:
    place = service.start(WIDTHS, LONG)
    worker = service.bench.start_worker(**PATIENT)
    half = service.wait(place, lambda sweep: sweep["progress"] > 0, "an epoch")
    assert (half["state"], half["jobs"]["queued"], half["jobs"]["running"]) == ("running", 2, 1)
    answer = service.api.delete(place)
    assert answer.status_code == 202, answer.text
    assert answer.json()["jobs"]["cancelled"] == 2
    sweep = service.wait_for_end(place)
    assert (sweep["state"], sweep["jobs"]["cancelled"]) == ("cancelled", 3)
    wait_for(lambda: not worker.children("app.worker.job_process"), "the end of the trainer")
    assert service.api.get("/models").json()["items"] == []


@pytest.fixture
def brokered(tmp_path: Path, postgres_url: str, valkey_url: str) -> Iterator[SweepService]:
    bench = make_bench(postgres_url, tmp_path, broker_url=valkey_url)
    with bench.stack, api_on(bench) as api:
        yield SweepService(api, bench)
    bench.database.close()


@pytest.mark.slow
def test_a_broker_delivers_every_job_of_a_sweep(brokered: SweepService) -> None:
    # No reaper helps within the test: what is not delivered stays queued.
    brokered.bench.start_worker(heartbeat_seconds="600", lease_seconds="1200")
    sweep = brokered.wait_for_end(brokered.start(WIDTHS, {"epochs": 5}))
    assert sweep["jobs"]["succeeded"] == 3


def test_a_sweep_is_accepted_immediately_while_the_broker_is_unavailable(
    brokered: SweepService, valkey_server: ValkeyServer
) -> None:
    valkey_server.stop(signal.SIGKILL)
    begun = time.monotonic()
    place = brokered.start({"grid": {"width": list(range(1, 101))}}, {})
    assert time.monotonic() - begun < 20
    assert brokered.look(place)["jobs"]["queued"] == 100
