"""Runs a reader in its own process, so that no file can harm the service."""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from app.errors import (
    GridRejected,
    LevygridError,
    ReaderNotStarted,
    Rejected,
    TooManyUploads,
)
from app.grid.report import ReadGrid
from app.http.admission import AdmissionLimit
from app.ingest.formats import MODULES
from app.ingest.protocol import ReadLimits, Request, decode_answer

_ROOT = Path(__file__).resolve().parents[3]
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from app.ingest.sandbox.process import main; main()"
)
_READ_SIZE = 1 << 20
_GRACE_SECONDS = 0.5
_OUT_OF_TIME = (-signal.SIGXCPU, -signal.SIGKILL)
_admission = AdmissionLimit(concurrent=2, admitted=8)
"""Each reader may use its whole memory limit, and its answer is unpacked in this process."""


class ReaderFailed(Exception):
    """A reader process exceeded its limits, or ended without a sound answer."""


def run_reader(request: Request) -> ReadGrid:
    """Read a file of a client in a confined process.

    The process has no environment, no writable file, no further process, and from the moment
    it sees the file it cannot open another one; its time and memory are limited.
    Raises: GridRejected, also for every abnormal end, without details of what happened inside;
        MalformedBody for invalid JSON; TooManyUploads; ReaderNotStarted.
    """
    try:
        return run_process(MODULES[request.reader], request)
    except ReaderFailed as error:
        raise GridRejected(str(error)) from error


def run_process(module: str, request: Request, *, confined: bool = True) -> ReadGrid:
    """Let ``module.read`` answer a request in a process; only our own data may go unconfined.

    Raises: GridRejected and MalformedBody as the reader does; ReaderFailed, TooManyUploads,
        ReaderNotStarted.
    """
    with reading_slot():
        answer = _run(module, request, confined=confined)
        try:
            return decode_answer(answer)
        except Rejected:
            raise
        except (msgspec.MsgspecError, LevygridError, ValueError, TypeError) as error:
            raise _failed(request) from error


@contextmanager
def reading_slot() -> Iterator[None]:
    """Wait for the right to start a reader. Raises: TooManyUploads if too many wait already."""
    refusal = TooManyUploads("Too many files are being read; try again in a moment.")
    with _admission.admit(refusal):
        yield


def _run(module: str, request: Request, *, confined: bool) -> bytes:
    try:
        process, reading = _start(_make_command(module, request, confined=confined), request)
    except OSError as error:
        raise ReaderNotStarted(
            "The service lacks processes, open files or memory to read a file; try again."
        ) from error
    try:
        answer = _collect(reading, request.limits)
    finally:
        os.close(reading)
        _end(process)
    if answer is None or process.returncode in _OUT_OF_TIME:
        raise ReaderFailed("Reading the file takes more time or memory than the limits allow.")
    if process.returncode != 0 or not answer:
        raise _failed(request)
    return answer


def _make_command(module: str, request: Request, *, confined: bool) -> list[str]:
    # What is needed later is imported while the process may still open files.
    wanted = ["app.ingest.build.centrality"] if request.options.columns == "topology" else []
    modules = ",".join([module, *wanted])
    memory = request.limits.memory_bytes if confined else 0
    seconds = max(1, int(request.limits.seconds)) if confined else 0
    numbers = [str(memory), str(seconds)]
    return [sys.executable, "-I", "-B", "-c", _START, str(_ROOT), modules, *numbers]


def _start(command: list[str], request: Request) -> tuple[subprocess.Popen[bytes], int]:
    """Return the process and the pipe of its answer. Raises: OSError, with nothing left open."""
    reading, writing = os.pipe()
    try:
        with _memory_file(msgspec.msgpack.encode(request)) as stdin:
            process = subprocess.Popen(  # noqa: S603 - our own interpreter, fixed arguments
                command,
                stdin=stdin,
                stdout=writing,
                stderr=subprocess.DEVNULL,
                env={},
                cwd="/",
                start_new_session=True,
            )
    except BaseException:
        os.close(reading)
        raise
    finally:
        os.close(writing)
    return process, reading


@contextmanager
def _memory_file(content: bytes) -> Iterator[int]:
    descriptor = os.memfd_create("request")
    try:
        with os.fdopen(descriptor, "wb", closefd=False) as file:
            file.write(content)
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)


def _collect(reading: int, limits: ReadLimits) -> bytes | None:
    """Return the answer of the process; None if it was too long or came too late."""
    ready = select.poll()
    ready.register(reading, select.POLLIN)
    deadline = time.monotonic() + limits.seconds
    parts: list[bytes] = []
    room = limits.answer_bytes
    while room >= 0:
        left = deadline - time.monotonic()
        if left <= 0 or not ready.poll(left * 1000):
            return None
        part = os.read(reading, _READ_SIZE)
        if not part:
            return b"".join(parts)
        parts.append(part)
        room -= len(part)
    return None


def _end(process: subprocess.Popen[bytes]) -> None:
    # The answer is complete or unwanted: the process has nothing left to do.
    try:
        process.wait(timeout=_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _failed(request: Request) -> ReaderFailed:
    return ReaderFailed(f"The file cannot be read as {request.reader}: damaged or another format.")
