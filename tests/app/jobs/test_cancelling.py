import threading
from typing import Any

import pytest

from app.errors import JobNotCancellable, JobNotFound
from app.jobs import service
from app.jobs.states import JobState
from app.storage.db import Database
from tests.app.jobs.job_transactions import EXPIRED, LOST, TERMS, claim, enqueue, find


def test_a_job_to_be_cancelled_is_not_handed_back(database: Database) -> None:
    job_id = enqueue(database)
    held = claim(database)
    with database.writing() as session:
        service.cancel_job(session, job_id)
        service.hand_back(session, held)
    assert find(database, job_id).state == JobState.CANCELLED


@pytest.mark.parametrize("max_attempts", [1, 3])
def test_a_crash_of_a_job_to_be_cancelled_cancels_it(database: Database, max_attempts: int) -> None:
    job_id = enqueue(database)
    held = claim(database)
    with database.writing() as session:
        service.save_checkpoint(session, held, 1, b"state")
        service.cancel_job(session, job_id)
        service.retry_or_fail(session, held, max_attempts, LOST)
        assert service.find_checkpoint(session, job_id) is None
    row = find(database, job_id)
    assert (row.state, row.error, row.owner) == (JobState.CANCELLED, None, None)
    assert row.finished_at is not None


@pytest.mark.parametrize(
    "put_back",
    [service.hand_back, lambda session, held: service.retry_or_fail(session, held, 3, LOST)],
    ids=["hand", "retry"],
)
def test_a_cancellation_during_the_return_to_the_queue_takes_effect(
    database: Database, put_back: Any
) -> None:
    job_id = enqueue(database)
    held = claim(database)

    def write() -> None:
        with database.writing() as session:
            put_back(session, held)

    other = threading.Thread(target=write)
    with database.writing() as session:
        service.cancel_job(session, job_id)
        other.start()
        other.join(timeout=0.5)
        assert other.is_alive()  # it waits for our commit
    other.join()
    assert find(database, job_id).state == JobState.CANCELLED


def test_a_queued_job_is_cancelled_at_once(database: Database) -> None:
    job_id = enqueue(database)
    with database.writing() as session:
        service.cancel_job(session, job_id)
    assert find(database, job_id).state == JobState.CANCELLED
    with database.writing() as session:
        assert service.claim_job(session, job_id, TERMS) is None


def test_the_worker_of_a_running_job_is_asked_to_stop(database: Database) -> None:
    job_id = enqueue(database)
    held = claim(database)
    with database.writing() as session:
        assert service.cancel_job(session, job_id).state == JobState.RUNNING
    with database.writing() as session:
        assert service.is_cancel_requested(session, held)
        assert service.renew_lease(session, held, 60)


def test_a_lost_job_to_be_cancelled_is_cancelled_not_resumed(database: Database) -> None:
    job_id = enqueue(database)
    claim(database, EXPIRED)
    with database.writing() as session:
        service.cancel_job(session, job_id)
        assert service.claim_next(session, TERMS) is None
        (ended,) = service.reap(session, 3, LOST)
    assert (ended.id, ended.state) == (job_id, JobState.CANCELLED)


def test_an_ended_job_cannot_be_cancelled(database: Database) -> None:
    job_id = enqueue(database)
    with database.writing() as session:
        service.cancel_job(session, job_id)
    with pytest.raises(JobNotCancellable), database.writing() as session:
        service.cancel_job(session, job_id)


def test_an_unknown_job_cannot_be_cancelled(database: Database) -> None:
    with pytest.raises(JobNotFound), database.writing() as session:
        service.cancel_job(session, "nothing")
