import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from app.jobs.queues import Queue
from app.jobs.service import HIGHEST_PRIORITY
from app.settings import Settings
from app.storage.tables import JobRow
from app.worker.celery_app import CeleryDispatcher, make_celery
from tests.app.worker.conftest import LONG, Bench, make_bench
from tests.app.worker.unresponsive_broker import dispatch_to_unresponsive_broker
from tests.processes import wait_for
from tests.servers import ValkeyServer

pytestmark = pytest.mark.long

SHORT: dict[str, Any] = {"epochs": 5}


@pytest.fixture
def bench(tmp_path: Path, postgres_url: str, valkey_url: str) -> Iterator[Bench]:
    made = make_bench(postgres_url, tmp_path, broker_url=valkey_url)
    with made.stack:
        yield made
    made.database.close()


@pytest.fixture
def dispatcher(valkey_url: str) -> CeleryDispatcher:
    return CeleryDispatcher(make_celery(Settings(broker_url=valkey_url)))


def test_a_delivered_job_is_run(bench: Bench, dispatcher: CeleryDispatcher) -> None:
    job_id = bench.enqueue(**SHORT)
    dispatcher.dispatch(bench.job(job_id))
    worker = bench.start_worker()
    row = bench.wait_for_state(job_id, "succeeded")
    assert row.attempt == 1
    worker.send(signal.SIGTERM)
    assert worker.wait() == 0
    assert not worker.survivors()
    assert "Traceback" not in worker.output


def test_a_job_queued_while_the_broker_was_unreachable_is_sent_by_a_reaper(
    bench: Bench, dispatcher: CeleryDispatcher, valkey_server: ValkeyServer
) -> None:
    valkey_server.stop(signal.SIGKILL)
    job_id = bench.enqueue(**SHORT)
    begun = time.monotonic()
    dispatcher.dispatch(bench.job(job_id))
    assert time.monotonic() - begun < 10
    assert bench.job(job_id).state == "queued"
    valkey_server.start()
    bench.start_worker()
    bench.wait_for_state(job_id, "succeeded")


def test_a_broker_that_stops_replying_counts_as_unreachable(
    valkey_url: str, valkey_server: ValkeyServer
) -> None:
    url = valkey_url.replace(str(valkey_server.port), "{port}")
    assert dispatch_to_unresponsive_broker(url, valkey_server.port) == [True, False, False]


def test_a_job_whose_message_was_lost_is_sent_again(
    bench: Bench, dispatcher: CeleryDispatcher, valkey_server: ValkeyServer
) -> None:
    job_id = bench.enqueue(**SHORT)
    dispatcher.dispatch(bench.job(job_id))
    valkey_server.empty()
    bench.start_worker()
    row = bench.wait_for_state(job_id, "succeeded")
    assert row.attempt == 1


def test_another_worker_takes_the_job_of_a_killed_one(
    bench: Bench, dispatcher: CeleryDispatcher
) -> None:
    job_id = bench.enqueue(epochs=150, patience=None)
    dispatcher.dispatch(bench.job(job_id))
    first = bench.start_worker()
    bench.wait_for_checkpoint(job_id)
    first.send(signal.SIGKILL)
    wait_for(lambda: not first.survivors(), "the end of the trainer")
    bench.start_worker()
    row = bench.wait_for_state(job_id, "succeeded")
    assert row.attempt == 2


def test_a_stopped_worker_hands_its_job_to_another(
    bench: Bench, dispatcher: CeleryDispatcher
) -> None:
    job_id = bench.enqueue(**LONG)
    dispatcher.dispatch(bench.job(job_id))
    first = bench.start_worker()
    bench.wait_for_checkpoint(job_id)
    first.send(signal.SIGTERM)
    assert first.wait() == 0
    assert not first.survivors()
    assert bench.job(job_id).state == "queued"
    bench.start_worker()
    bench.wait_for_job(job_id, lambda row: row.attempt == 2, "the second attempt")


def test_the_most_urgent_message_is_served_first(
    dispatcher: CeleryDispatcher, valkey_server: ValkeyServer
) -> None:
    for priority in (0, HIGHEST_PRIORITY, 4):
        dispatcher.dispatch(JobRow(id=f"job-{priority}", priority=priority, queue="cpu"))
    with redis.Redis(port=valkey_server.port) as client:
        lists = sorted(key.decode() for key in client.keys("levygrid*"))
    # Redis serves the list without a suffix first, then by rising suffix.
    assert lists == ["levygrid", "levygrid\x06\x165", "levygrid\x06\x169"]


def test_an_empty_queue_is_distinguished_from_one_with_messages(
    dispatcher: CeleryDispatcher,
) -> None:
    assert dispatcher.find_empty_queues() == [Queue.CPU, Queue.GPU]
    dispatcher.dispatch(JobRow(id="job", priority=3, queue="gpu"))
    assert dispatcher.find_empty_queues() == [Queue.CPU]


def test_a_gpu_job_is_not_claimed_by_workers_without_a_gpu(
    bench: Bench, dispatcher: CeleryDispatcher
) -> None:
    for_gpu, for_any = bench.enqueue(device="cuda", **SHORT), bench.enqueue(**SHORT)
    bench.start_worker()
    for job_id in (for_gpu, for_any):
        dispatcher.dispatch(bench.job(job_id))
    bench.wait_for_state(for_any, "succeeded")
    assert bench.job(for_gpu).state == "queued"
    bench.start_worker("--queue", "gpu")
    error = bench.wait_for_state(for_gpu, "failed").error
    assert error is not None
    assert error["type"] == "/problems/device-unavailable"
