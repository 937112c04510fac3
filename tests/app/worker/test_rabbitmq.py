import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from kombu.utils.url import parse_url

from app.jobs.queues import Queue
from app.jobs.service import HIGHEST_PRIORITY
from app.settings import Settings
from app.storage.tables import JobRow
from app.worker.celery_app import QUEUE_NAMES, CeleryDispatcher, make_celery
from tests.app.worker.conftest import Bench, make_bench
from tests.app.worker.unresponsive_broker import dispatch_to_unresponsive_broker
from tests.processes import wait_for

pytestmark = pytest.mark.long


@pytest.fixture
def bench(tmp_path: Path, postgres_url: str, rabbitmq_url: str) -> Iterator[Bench]:
    made = make_bench(postgres_url, tmp_path, broker_url=rabbitmq_url)
    with made.stack:
        yield made
    made.database.close()


@pytest.fixture
def dispatcher(rabbitmq_url: str) -> CeleryDispatcher:
    return CeleryDispatcher(make_celery(Settings(broker_url=rabbitmq_url)))


def test_a_delivered_job_is_run(bench: Bench, dispatcher: CeleryDispatcher) -> None:
    job_id = bench.enqueue(epochs=5)
    dispatcher.dispatch(bench.job(job_id))
    worker = bench.start_worker()
    row = bench.wait_for_state(job_id, "succeeded")
    assert row.attempt == 1
    worker.send(signal.SIGTERM)
    assert worker.wait() == 0
    assert not worker.survivors()


def test_a_broker_that_stops_replying_counts_as_unreachable(rabbitmq_url: str) -> None:
    port = parse_url(rabbitmq_url)["port"]
    url = rabbitmq_url.replace(f":{port}/", ":{port}/")
    answers = dispatch_to_unresponsive_broker(url, port)
    with make_celery(Settings(broker_url=rabbitmq_url)).connection_for_write() as connection:
        assert connection.default_channel.queue_purge(QUEUE_NAMES[Queue.CPU]) == 1
    assert answers == [True, False, False]


def test_the_most_urgent_message_is_served_first(
    rabbitmq_url: str, dispatcher: CeleryDispatcher
) -> None:
    for priority in (0, HIGHEST_PRIORITY, 4):
        dispatcher.dispatch(JobRow(id=f"job-{priority}", priority=priority, queue="cpu"))
    assert dispatcher.find_empty_queues() == [Queue.GPU]
    served = []
    name = QUEUE_NAMES[Queue.CPU]
    with make_celery(Settings(broker_url=rabbitmq_url)).connection_for_read() as connection:
        for _ in range(3):
            message = wait_for(
                lambda: connection.default_channel.basic_get(name, no_ack=True), "a message"
            )
            served.append(message.properties["priority"])
    assert served == [HIGHEST_PRIORITY, 4, 0]
    assert dispatcher.find_empty_queues() == [Queue.CPU, Queue.GPU]
