"""Runs a reader in a throw-away process, so that no file can hurt the service."""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from app.errors import (
    GridRejected,
    LevygridError,
    ReaderNotStarted,
    Rejected,
    TooManyUploads,
)
from app.grid.grid import ReadGrid
from app.http.admission import AdmissionLimit
from app.ingest.protocol import Request, decode_answer

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


@dataclass(frozen=True, slots=True)
class Confinement:
    """What one reader may use."""

    memory_bytes: int = 2 * 2**30
    seconds: float = 60.0
    answer_bytes: int = 512 * 2**20


def run_reader(request: Request, confinement: Confinement = Confinement()) -> ReadGrid:  # noqa: B008 - frozen
    """Read a file in a process of its own.

    The process has no environment, no writable file, no further process, and from the moment
    it sees the file no way to open another one; it ends with its time or memory.
    Raises: GridRejected, also for every abnormal end, without a word of what happened inside;
        MalformedBody for JSON that is none; TooManyUploads; ReaderNotStarted.
    """
    with reading_slot():
        answer = _run(request, confinement)
        try:
            return decode_answer(answer)
        except Rejected:
            raise
        except (msgspec.MsgspecError, LevygridError, ValueError, TypeError) as error:
            raise _unreadable(request) from error


@contextmanager
def reading_slot() -> Iterator[None]:
    """Wait for the right to start a reader. Raises: TooManyUploads if too many wait already."""
    refusal = TooManyUploads("Too many files are being read; try again in a moment.")
    with _admission.admit(refusal):
        yield


def _run(request: Request, confinement: Confinement) -> bytes:
    try:
        process, reading = _start(request, confinement)
    except OSError as error:
        raise ReaderNotStarted(
            "The service lacks processes, open files or memory to read a file; try again."
        ) from error
    try:
        answer = _collect(reading, confinement)
    finally:
        os.close(reading)
        _end(process)
    if answer is None or process.returncode in _OUT_OF_TIME:
        raise GridRejected("The file takes more time or space to read than one file may.")
    if process.returncode != 0 or not answer:
        raise _unreadable(request)
    return answer


def _start(request: Request, confinement: Confinement) -> tuple[subprocess.Popen[bytes], int]:
    """Return the process and where its answer can be read. Raises: OSError, nothing left open."""
    reading, writing = os.pipe()
    try:
        with _memory_file(msgspec.msgpack.encode(request)) as stdin:
            process = subprocess.Popen(  # noqa: S603 - our own interpreter, fixed arguments
                _command(request.reader, confinement),
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


def _command(reader: str, confinement: Confinement) -> list[str]:
    processor_seconds = max(1, int(confinement.seconds))
    limits = [str(confinement.memory_bytes), str(processor_seconds)]
    return [sys.executable, "-I", "-B", "-c", _START, str(_ROOT), reader, *limits]


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


def _collect(reading: int, confinement: Confinement) -> bytes | None:
    """Return what the process wrote; None if it was too much or took too long."""
    ready = select.poll()
    ready.register(reading, select.POLLIN)
    deadline = time.monotonic() + confinement.seconds
    parts: list[bytes] = []
    room = confinement.answer_bytes
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
    # The answer is complete or unwanted: a process that still lives only costs.
    try:
        process.wait(timeout=_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _unreadable(request: Request) -> GridRejected:
    known = "MATPOWER" if request.reader.startswith("matpower") else request.reader
    return GridRejected(f"The file cannot be read as {known}: it is damaged or of another kind.")
