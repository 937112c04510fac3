import threading
from collections import Counter
from typing import Any

import pytest

from app.errors import LeaseLost
from app.jobs import service
from app.jobs.queues import EVERY_QUEUE
from app.jobs.states import Claim, JobState
from app.storage.db import Database
from app.storage.tables import JobRow
from tests.app.jobs.job_transactions import EXPIRED, LOST, TERMS, claim, enqueue, find


def test_a_claimed_job_runs_under_a_lease(database: Database) -> None:
    job_id = enqueue(database)
    held = claim(database)
    row = find(database, job_id)
    assert held == Claim(job_id, 1)
    assert (row.state, row.owner) == (JobState.RUNNING, "worker")
    assert row.lease_until is not None
    assert row.started_at is not None
    assert row.lease_until > row.started_at


def test_a_job_under_a_lease_cannot_be_claimed(database: Database) -> None:
    job_id = enqueue(database)
    claim(database)
    with database.writing() as session:
        assert service.claim_next(session, TERMS) is None
        assert service.claim_job(session, job_id, TERMS) is None


def test_the_most_urgent_then_the_oldest_job_comes_first(database: Database) -> None:
    old, urgent, new = enqueue(database), enqueue(database, priority=5), enqueue(database)
    assert [claim(database).job_id for _ in range(3)] == [urgent, old, new]


def test_every_job_goes_to_exactly_one_of_many_workers(database: Database) -> None:
    jobs = [enqueue(database) for _ in range(20)]
    taken: list[str] = []

    def work() -> None:
        while True:
            with database.writing() as session:
                row = service.claim_next(session, TERMS)
            if row is None:
                return
            taken.append(row.id)

    workers = [threading.Thread(target=work) for _ in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert Counter(taken) == Counter(jobs)


def test_a_renewed_lease_is_longer(database: Database) -> None:
    job_id = enqueue(database)
    held = claim(database)
    before = find(database, job_id).lease_until
    with database.writing() as session:
        assert service.renew_lease(session, held, 3600) is False
    after = find(database, job_id).lease_until
    assert before is not None
    assert after is not None
    assert after > before


def test_a_lost_job_is_taken_over_with_its_checkpoint(database: Database) -> None:
    job_id = enqueue(database)
    lost = claim(database, EXPIRED)
    with database.writing() as session:
        service.save_checkpoint(session, lost, 7, b"state")
    assert claim(database) == Claim(job_id, 2)
    with database.reading() as session:
        kept = service.find_checkpoint(session, job_id)
    assert kept is not None
    assert (kept.epoch, kept.content) == (7, b"state")


@pytest.mark.parametrize(
    "write",
    [
        lambda session, zombie: service.renew_lease(session, zombie, 60),
        service.is_cancel_requested,
        lambda session, zombie: service.report_progress(session, zombie, {"epoch": 99}),
        lambda session, zombie: service.save_checkpoint(session, zombie, 99, b"zombie"),
        lambda session, zombie: service.finish_succeeded(session, zombie, {"model_id": "x"}),
        lambda session, zombie: service.finish_failed(session, zombie, LOST),
        service.finish_cancelled,
        service.hand_back,
        lambda session, zombie: service.retry_or_fail(session, zombie, 3, LOST),
    ],
    ids=["renew", "look", "report", "checkpoint", "succeed", "fail", "cancel", "hand", "retry"],
)
def test_a_superseded_attempt_writes_nothing(database: Database, write: Any) -> None:
    job_id = enqueue(database)
    zombie = claim(database, EXPIRED)
    successor = claim(database)
    with database.writing() as session:
        service.save_checkpoint(session, successor, 3, b"successor")
    before = find(database, job_id)
    with pytest.raises(LeaseLost), database.writing() as session:
        write(session, zombie)
    after = find(database, job_id)
    columns = JobRow.__table__.columns.keys()
    assert [getattr(after, name) for name in columns] == [getattr(before, name) for name in columns]
    with database.reading() as session:
        kept = service.find_checkpoint(session, job_id)
    assert kept is not None
    assert kept.content == b"successor"


def test_an_ended_job_loses_its_checkpoint_and_keeps_its_result(database: Database) -> None:
    job_id = enqueue(database)
    held = claim(database)
    with database.writing() as session:
        service.save_checkpoint(session, held, 1, b"state")
        service.finish_succeeded(session, held, {"model_id": "m"})
    row = find(database, job_id)
    assert (row.state, row.result) == (JobState.SUCCEEDED, {"model_id": "m"})
    assert row.finished_at is not None
    with database.reading() as session:
        assert service.find_checkpoint(session, job_id) is None


def test_a_job_never_ends_twice(database: Database) -> None:
    enqueue(database)
    held = claim(database)
    with database.writing() as session:
        service.finish_succeeded(session, held, {"model_id": "m"})
    with pytest.raises(LeaseLost), database.writing() as session:
        service.finish_succeeded(session, held, {"model_id": "other"})


def test_a_result_that_cannot_be_stored_leaves_the_job_running(database: Database) -> None:
    job_id = enqueue(database)
    held = claim(database)

    def finish_and_fail() -> None:
        with database.writing() as session:
            service.finish_succeeded(session, held, {"model_id": "m"})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        finish_and_fail()
    assert find(database, job_id).state == JobState.RUNNING


def test_a_job_handed_back_keeps_its_checkpoint_and_its_attempts(database: Database) -> None:
    job_id = enqueue(database)
    for _ in range(5):
        held = claim(database)
        with database.writing() as session:
            service.save_checkpoint(session, held, held.attempt, b"state")
            service.hand_back(session, held)
    row = find(database, job_id)
    assert (row.state, row.attempt, row.owner) == (JobState.QUEUED, 5, None)
    with database.reading() as session:
        assert service.find_checkpoint(session, job_id) is not None


def test_a_job_that_loses_every_worker_fails_with_the_reason(database: Database) -> None:
    job_id = enqueue(database)
    for _ in range(EXPIRED.max_attempts):
        with database.writing() as session:
            assert service.reap(session, EXPIRED.max_attempts, LOST) == []
        claim(database, EXPIRED)
    with database.writing() as session:
        assert service.claim_next(session, EXPIRED) is None
        (ended,) = service.reap(session, EXPIRED.max_attempts, LOST)
    assert (ended.id, ended.state, ended.error) == (job_id, JobState.FAILED, LOST)


def test_a_crashed_job_is_retried_until_its_last_attempt(database: Database) -> None:
    job_id = enqueue(database)
    for _ in range(3):
        held = claim(database)
        with database.writing() as session:
            service.retry_or_fail(session, held, 3, LOST)
    row = find(database, job_id)
    assert (row.state, row.attempt, row.error) == (JobState.FAILED, 3, LOST)


def test_has_work_is_true_while_a_job_is_queued_or_lost(database: Database) -> None:
    def has_work() -> bool:
        with database.reading() as session:
            return service.has_work(session)

    assert not has_work()
    enqueue(database)
    assert has_work()
    claim(database, EXPIRED)
    assert has_work()
    claim(database)
    assert not has_work()


def test_a_lost_message_is_sent_again_by_one_reaper_only(database: Database) -> None:
    waiting = enqueue(database)
    with database.writing() as session:
        assert service.take_overdue(session, 60, EVERY_QUEUE) == []
        assert service.take_overdue(session, -1, ()) == []
        (found,) = service.take_overdue(session, -1, EVERY_QUEUE)
        assert found.id == waiting
        assert service.take_overdue(session, 60, EVERY_QUEUE) == []


def test_the_id_of_a_lost_job_is_sent_again_even_if_messages_wait(database: Database) -> None:
    job_id = enqueue(database)
    claim(database, EXPIRED)
    with database.writing() as session:
        (found,) = service.take_overdue(session, -1, ())
    assert found.id == job_id
