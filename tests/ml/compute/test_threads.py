"""Tasks on threads."""

import threading

import pytest

from ml.compute.threads import limit_threads, run_tasks, thread_count


@pytest.mark.parametrize("threads", ["1", "2", "3", "8"])
def test_results_come_in_the_order_of_the_tasks(
    monkeypatch: pytest.MonkeyPatch, threads: str
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    tasks = [lambda number=number: number**2 for number in range(7)]
    assert run_tasks(tasks, together=True) == [0, 1, 4, 9, 16, 25, 36]


def test_tasks_run_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    meeting = threading.Barrier(2, timeout=10)
    run_tasks([meeting.wait, meeting.wait], together=True)
    assert not meeting.broken


def test_an_error_of_a_task_reaches_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "2")

    def fail() -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_tasks([lambda: 1, fail], together=True)


def test_the_number_of_threads_is_that_of_openmp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    assert thread_count() == 5
    monkeypatch.setenv("OMP_NUM_THREADS", "")
    assert thread_count() >= 1


def test_a_limit_holds_until_it_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    with limit_threads(2):
        assert thread_count() == 2
    assert thread_count() == 5
