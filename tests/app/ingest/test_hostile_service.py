"""The whole hostile corpus against a running service, while somebody asks whether it is alive."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event, Thread
from urllib.parse import urlsplit

import httpx
import psutil
import pytest

from app.temporary_service import run_temporary_service
from tests.app.ingest.hostile_corpus import make_corpus
from tests.app.samples import ring

pytestmark = pytest.mark.long

_PATIENCE = 300
_MANY = 200_000
_PROMPT = 1.0
_MOST_LATENESS = 2.0


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with (
        run_temporary_service(workers=0) as address,
        httpx.Client(base_url=address, timeout=_PATIENCE) as client,
    ):
        yield client


class Pulse:
    """How long ``/healthz`` took, and how much slower than alone this machine is."""

    def __init__(self) -> None:
        self.ended = Event()
        self._waits: list[float] = []
        self._clock = self._processor = 0.0

    @property
    def lateness(self) -> float:
        """All the seconds that answers took beyond one each, were there nothing else to do.

        A sum, not the longest wait: whatever else runs here may hold up one answer, a service
        that is kept busy holds up one after the other.
        """
        slowdown = max(1.0, self._clock / self._processor)
        return sum(max(0.0, wait / slowdown - _PROMPT) for wait in self._waits)

    def watch(self, address: httpx.URL) -> None:
        with httpx.Client(base_url=address, timeout=_PATIENCE) as client:
            while not self.ended.is_set():
                started = time.monotonic()
                assert client.get("/healthz").status_code == 200
                self._waits.append(time.monotonic() - started)
                self._work()
                time.sleep(0.02)

    def _work(self) -> None:
        clock, processor = time.monotonic(), time.thread_time()
        sum(range(200_000))
        self._processor += time.thread_time() - processor
        self._clock += time.monotonic() - clock


@contextmanager
def feel_pulse(client: httpx.Client) -> Iterator[Pulse]:
    pulse = Pulse()
    watcher = Thread(target=pulse.watch, args=(client.base_url,))
    watcher.start()
    try:
        yield pulse
    finally:
        pulse.ended.set()
        watcher.join()


def _find_service(client: httpx.Client) -> tuple[int, float]:
    """Return the process that listens, and when it began."""
    port = urlsplit(str(client.base_url)).port
    process_id = next(
        connection.pid
        for connection in psutil.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
        and connection.laddr
        and connection.laddr.port == port
        and connection.pid
    )
    return process_id, psutil.Process(process_id).create_time()


def test_the_service_keeps_answering_within_a_second(client: httpx.Client) -> None:
    before = _find_service(client)

    def upload(file: tuple[str, str | None, bytes]) -> tuple[str, int]:
        name, form, content = file
        fields = {} if form is None else {"format": form}
        answer = client.post("/graphs", files={"file": ("x", content)}, data=fields)
        return name, answer.status_code

    with feel_pulse(client) as pulse, ThreadPoolExecutor(3) as pool:
        answers = dict(pool.map(upload, make_corpus()))
    assert {name: status for name, status in answers.items() if not 400 <= status < 500} == {}
    assert client.get("/graphs").json()["items"] == []
    assert _find_service(client) == before
    assert pulse.lateness < _MOST_LATENESS


def _long_bodies() -> Iterator[tuple[str, bytes]]:
    keys = b",".join(b'"k%d":1' % number for number in range(_MANY))
    yield "/graphs", b'{"buses":[{"id":"a","features":{' + keys + b'}}],"branches":[]}'
    yield "/graphs", b"{" + b'"name":"x",' * _MANY + b'"case":"case118"}'
    yield "/graphs", b'{"buses":[],"branches":[' + b'{"from":1.5},' * _MANY + b"{}]}"
    yield "/graphs", b"[" * 30_000_000
    yield "/graphs/{}/labels", b'{"name":"x","labels":{' + keys + b"}}"
    yield "/train", b'{"graph_id":"{}","config":{' + keys + b"}}"


def test_long_bodies_do_not_block_other_requests(client: httpx.Client) -> None:
    graph_id = client.post("/graphs", json=ring()).json()["id"]
    with feel_pulse(client) as pulse:
        for path, body in _long_bodies():
            headers = {"content-type": "application/json"}
            answer = client.post(path.format(graph_id), content=body, headers=headers)
            assert 400 <= answer.status_code < 500
            assert answer.headers["content-type"] == "application/problem+json"
        address = f"/graphs/{graph_id}/labels"
        for rows, expected in ((150_000, 201), (1_000_000, 422), (3_000_000, 413)):
            labels = {"file": ("x.csv", b"bus,label\n" + b"1,b\n" * rows)}
            answer = client.post(address, files=labels, data={"name": f"of {rows} rows"})
            assert answer.status_code == expected
    assert pulse.lateness < _MOST_LATENESS
