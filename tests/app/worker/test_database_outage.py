import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.worker.conftest import Bench, make_bench
from tests.processes import wait_for
from tests.servers import PostgresServer


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PostgresServer]:
    made = PostgresServer(tmp_path)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def bench(tmp_path: Path, server: PostgresServer) -> Iterator[Bench]:
    made = make_bench(server.make_database(), tmp_path)
    with made.stack:
        yield made
    made.database.close()


def test_a_job_outlives_a_crash_of_the_database(bench: Bench, server: PostgresServer) -> None:
    job_id = bench.enqueue(epochs=300, patience=None)
    worker = bench.start_worker(lease_seconds="60")
    bench.wait_for_checkpoint(job_id)
    server.stop(signal.SIGQUIT)
    wait_for(lambda: "database away" in worker.output, "that somebody noticed")
    server.start()
    row = bench.wait_for_state(job_id, "succeeded")
    assert row.attempt == 1
