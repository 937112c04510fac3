"""Admission limits: how many run, how many wait, who is refused."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from app.errors import LevygridError
from app.http.admission import AdmissionLimit

REFUSAL = LevygridError("full")


def test_work_beyond_the_limit_is_refused_until_earlier_work_has_ended() -> None:
    limit = AdmissionLimit(concurrent=1, admitted=1)
    with limit.admit(REFUSAL), pytest.raises(LevygridError, match="full"), limit.admit(REFUSAL):
        pass
    with limit.admit(REFUSAL):
        pass


def test_admitted_work_waits_for_the_work_before_it() -> None:
    limit = AdmissionLimit(concurrent=1, admitted=2)
    began = Event()

    def work() -> None:
        with limit.admit(REFUSAL):
            began.set()

    with ThreadPoolExecutor(1) as pool:
        with limit.admit(REFUSAL):
            waiting = pool.submit(work)
            assert not began.wait(0.1)
        waiting.result(timeout=10)
    assert began.is_set()
