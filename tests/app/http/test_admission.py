"""So many at a time, so many in line."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from app.errors import LevygridError
from app.http.admission import Turns

REFUSAL = LevygridError("full")


def test_who_finds_the_line_full_is_refused_and_may_come_again() -> None:
    turns = Turns(at_once=1, in_line=1)
    with turns.take(REFUSAL), pytest.raises(LevygridError, match="full"), turns.take(REFUSAL):
        pass
    with turns.take(REFUSAL):
        pass


def test_who_is_in_line_waits_for_the_one_before() -> None:
    turns = Turns(at_once=1, in_line=2)
    began = Event()

    def work() -> None:
        with turns.take(REFUSAL):
            began.set()

    with ThreadPoolExecutor(1) as pool:
        with turns.take(REFUSAL):
            waiting = pool.submit(work)
            assert not began.wait(0.1)
        waiting.result(timeout=10)
    assert began.is_set()
