import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import pytest

from app.jobs import service
from app.jobs.dispatch import PolledTable
from app.jobs.states import Claim
from app.settings import Settings
from app.worker.context import WorkerContext
from app.worker.run import _Outcome, _store_outcome
from tests.app.renamed_table import renamed_jobs_table
from tests.app.worker.conftest import LONG, Bench, make_bench
from tests.processes import wait_for
from tests.servers import PostgresServer

pytestmark = pytest.mark.long


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


def test_a_worker_can_be_stopped_while_the_database_is_unreachable(
    bench: Bench, server: PostgresServer
) -> None:
    job_id = bench.enqueue(**LONG)
    worker = bench.start_worker()
    bench.wait_for_checkpoint(job_id)
    server.stop(signal.SIGQUIT)
    wait_for(lambda: "database unreachable" in worker.output, "that somebody noticed")
    worker.send(signal.SIGTERM)
    assert worker.wait() == 0
    assert not worker.survivors()


def test_a_worker_continues_after_an_unexpected_error(bench: Bench) -> None:
    worker = bench.start_worker()
    wait_for(lambda: "worker started" in worker.output, "the start")
    with renamed_jobs_table(bench.database):
        wait_for(lambda: "polling failed" in worker.output, "a failure")
    bench.wait_for_state(bench.enqueue(epochs=5), "succeeded")


def test_a_job_that_ends_while_its_worker_stores_the_outcome_stays_ended(bench: Bench) -> None:
    worker = WorkerContext(settings=Settings(), database=bench.database, dispatcher=PolledTable())
    job_id = bench.enqueue(**LONG)
    with bench.database.writing() as session:
        row = service.claim_job(session, job_id, worker.terms)
    assert row is not None
    claim = Claim(row.id, row.attempt)
    with ThreadPoolExecutor() as pool:
        with bench.database.writing() as session:  # the trainer
            service.finish_succeeded(session, claim, {"model_id": "m"})
            settled = pool.submit(_store_outcome, worker, claim, _Outcome.EXITED, 1)
            wait([settled], timeout=0.5)
            assert not settled.done()  # it has seen the job run and waits for our commit
        assert settled.result() == "succeeded"


def test_a_job_survives_a_crash_of_the_database(bench: Bench, server: PostgresServer) -> None:
    job_id = bench.enqueue(epochs=300, patience=None)
    worker = bench.start_worker(lease_seconds="60")
    bench.wait_for_checkpoint(job_id)
    server.stop(signal.SIGQUIT)
    wait_for(lambda: "database unreachable" in worker.output, "that somebody noticed")
    server.start()
    row = bench.wait_for_state(job_id, "succeeded")
    assert row.attempt == 1
