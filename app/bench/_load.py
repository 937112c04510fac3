"""HTTP load on kept connections: as much as possible, or at a steady rate.

wrk measures throughput where it is installed; else, and for latency at a rate, a client of
asyncio protocols on uvloop with the parser of httptools, which costs a fraction of the server.
"""

import asyncio
import itertools
import re
import shutil
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

import httptools
import uvloop

_CONNECTIONS = 16
_TICK_SECONDS = 0.001
_RATE = re.compile(r"Requests/sec:\s*([\d.]+)")
_BAD = re.compile(r"Non-2xx or 3xx responses: (\d+)")
_WRK = shutil.which("wrk")
CLIENT = "wrk" if _WRK else "uvloop"


def measure_throughput(port: int, paths: Sequence[str], seconds: float) -> float:
    """Return requests per second with every connection always busy."""
    if _WRK:
        return _run_wrk(port, paths, seconds)
    return uvloop.run(_Load(port, paths).run_busy(seconds))


def measure_latencies(port: int, paths: Sequence[str], seconds: float, rate: float) -> list[float]:
    """Return the seconds of every answer at a steady rate of requests per second."""
    return uvloop.run(_Load(port, paths).run_steady(seconds, rate))


class _Connection(asyncio.Protocol):
    """One kept connection with at most one open request; calls ``on_answer`` after each."""

    def __init__(self, on_answer: Callable[["_Connection", float], None]) -> None:
        self._on_answer = on_answer
        self._parser: Any = None
        self._transport: Any = None
        self._since = 0.0
        self.failure: str | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def send(self, request: bytes, since: float) -> None:
        self._since = since
        self._parser = httptools.HttpResponseParser(self)
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_message_complete(self) -> None:
        status = self._parser.get_status_code()
        if status != 200:
            self.failure = f"The benchmark received status {status}."
        self._on_answer(self, time.perf_counter() - self._since)

    def close(self) -> None:
        self._transport.close()


class _Load:
    """Sends requests for the paths in turn over several connections."""

    def __init__(self, port: int, paths: Sequence[str]) -> None:
        self._port = port
        self._requests = _cycle_requests(paths)
        self._connections: list[_Connection] = []
        self._free: deque[_Connection] = deque()
        self._waiting: deque[float] = deque()
        self._seconds: list[float] = []
        self._until = 0.0

    async def run_busy(self, seconds: float) -> float:
        """Send the next request as soon as the answer is there."""
        await self._connect(self._send_again)
        started = time.perf_counter()
        self._until = started + seconds
        for connection in self._connections:
            connection.send(next(self._requests), started)
        await asyncio.sleep(seconds)
        count, elapsed = len(self._seconds), time.perf_counter() - started
        self._close()
        return count / elapsed

    async def run_steady(self, seconds: float, rate: float) -> list[float]:
        """Send at a rate; a request that finds no free connection counts from when it was due."""
        await self._connect(self._send_waiting)
        self._free.extend(self._connections)
        started, sent = time.perf_counter(), 0
        while (now := time.perf_counter()) < started + seconds:
            due = int((now - started) * rate)
            for _ in range(due - sent):
                self._waiting.append(now)
            sent = due
            while self._waiting and self._free:
                self._free.popleft().send(next(self._requests), self._waiting.popleft())
            await asyncio.sleep(_TICK_SECONDS)
        self._close()
        now = time.perf_counter()
        return [*self._seconds, *(now - moment for moment in self._waiting)]

    async def _connect(self, on_answer: Callable[[_Connection, float], None]) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(_CONNECTIONS):
            _, connection = await loop.create_connection(
                lambda: _Connection(on_answer), "127.0.0.1", self._port
            )
            self._connections.append(connection)

    def _send_again(self, connection: _Connection, seconds: float) -> None:
        self._seconds.append(seconds)
        now = time.perf_counter()
        if now < self._until:
            connection.send(next(self._requests), now)

    def _send_waiting(self, connection: _Connection, seconds: float) -> None:
        self._seconds.append(seconds)
        if self._waiting:
            connection.send(next(self._requests), self._waiting.popleft())
        else:
            self._free.append(connection)

    def _close(self) -> None:
        for connection in self._connections:
            connection.close()
        failure = next((one.failure for one in self._connections if one.failure), None)
        if failure is not None:
            raise RuntimeError(failure)


def _cycle_requests(paths: Sequence[str]) -> Iterator[bytes]:
    head = "GET {} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    return itertools.cycle([head.format(quote(path)).encode() for path in paths])


def _run_wrk(port: int, paths: Sequence[str], seconds: float) -> float:
    with TemporaryDirectory(prefix="levygrid-wrk-") as folder:
        listing = ", ".join(f'"{quote(path)}"' for path in paths)
        script = Path(folder, "paths.lua")
        script.write_text(
            f"local paths = {{{listing}}}\nlocal place = 0\n"
            "request = function()\n  place = place % #paths + 1\n"
            '  return wrk.format("GET", paths[place])\nend\n'
        )
        command = [str(_WRK), "-t1", f"-c{_CONNECTIONS}", f"-d{max(1, round(seconds))}s"]
        command += ["-s", str(script), f"http://127.0.0.1:{port}"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    if _BAD.search(done.stdout):
        raise RuntimeError(f"The benchmark received error responses: {done.stdout}")
    found = _RATE.search(done.stdout)
    if found is None:
        raise RuntimeError(f"wrk printed no rate: {done.stdout}")
    return float(found[1])
