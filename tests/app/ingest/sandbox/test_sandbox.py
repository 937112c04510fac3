import errno
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from app.errors import GridRejected, ReaderNotStarted, TooManyUploads
from app.grid.report import ReadGrid
from app.http.admission import AdmissionLimit
from app.ingest.formats.matpower import reader as matpower
from app.ingest.protocol import ReadLimits, Request, decode_answer, encode_grid
from app.ingest.sandbox import run as sandbox
from app.ingest.sandbox.run import reading_slot, run_reader
from tests.app.ingest.requests import SMALL_CASE, ask, make_mat_file

ROOT = Path(__file__).resolve().parents[4]


def _read_within(limits: ReadLimits, text: str = SMALL_CASE) -> ReadGrid:
    return run_reader(Request("matpower", {"file": text.encode()}, limits=limits))


def test_a_file_is_returned_as_a_grid() -> None:
    text = run_reader(ask("matpower", SMALL_CASE))
    binary = run_reader(ask("matpower", make_mat_file()))
    assert text.grid.bus_ids == binary.grid.bus_ids == ("1", "2", "10")
    assert text.grid.weights.tolist() == binary.grid.weights.tolist()
    assert binary.grid.find_buses("Two") == [1]


def test_the_faults_of_a_file_are_returned() -> None:
    with pytest.raises(GridRejected) as caught:
        run_reader(ask("matpower", SMALL_CASE.replace("\t50\t", "\tfifty\t")))
    assert "'fifty'" in str(caught.value.faults[0])


def test_damaged_binary_files_are_refused_and_the_process_lives() -> None:
    good = make_mat_file()
    generator = np.random.default_rng(7)
    before = os.getpid()
    for _ in range(5):
        damaged = bytearray(good)
        for place in generator.integers(128, len(good), 20):
            damaged[place] = generator.integers(256)
        with suppress(GridRejected):
            run_reader(ask("matpower", bytes(damaged)))
    assert os.getpid() == before


def test_a_reader_beyond_its_time_limit_is_stopped() -> None:
    started = time.monotonic()
    with pytest.raises(GridRejected, match="time or memory"):
        _read_within(ReadLimits(seconds=0.05))
    assert time.monotonic() - started < 5


def test_an_answer_that_is_too_long_is_refused() -> None:
    with pytest.raises(GridRejected, match="time or memory"):
        _read_within(ReadLimits(answer_bytes=10))


def test_a_file_that_needs_too_much_memory_is_refused() -> None:
    huge = "mpc.bus = [\n" + "1 " * 12_000_000 + "\n];"
    with pytest.raises(GridRejected):
        _read_within(ReadLimits(memory_bytes=600 * 2**20), huge)


@pytest.mark.parametrize(
    "change",
    [
        {"bus_ids": ("1", "1", "10")},
        {"ends": np.array([[0, 1], [1, 0], [1, 3]])},
        {"weights": np.array([1.0, 1.0, np.nan])},
        {"weights": np.array([1.0, 1.0])},
        {"kinds": np.array([0, 0, 9])},
        {"features": np.full((3, 5), np.inf)},
        {"aliases": {"name": ("a",)}},
    ],
)
def test_an_answer_that_breaks_an_invariant_is_refused(change: dict[str, Any]) -> None:
    read = matpower.read(ask("matpower", SMALL_CASE))
    decode_answer(encode_grid(read))
    with pytest.raises(ValueError, match="grid"):
        decode_answer(encode_grid(replace(read, grid=replace(read.grid, **change))))


def test_too_many_waiting_files_are_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "_admission", AdmissionLimit(concurrent=1, admitted=1))
    with reading_slot(), pytest.raises(TooManyUploads):
        run_reader(ask("matpower", SMALL_CASE))
    assert run_reader(ask("matpower", SMALL_CASE)).grid.bus_count == 3


def _fail(*_: object, **__: object) -> None:
    raise OSError(errno.EMFILE, "Too many open files")


@pytest.mark.parametrize("name", ["os.pipe", "os.memfd_create", "os.fdopen", "subprocess.Popen"])
def test_a_reader_that_cannot_start_leaves_nothing_open(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before = sorted(Path("/proc/self/fd").iterdir())
    with monkeypatch.context() as broken:
        broken.setattr(name, _fail)
        with pytest.raises(ReaderNotStarted):
            run_reader(ask("matpower", SMALL_CASE))
    assert sorted(Path("/proc/self/fd").iterdir()) == before


def test_the_answer_is_503_when_no_reader_can_start(
    api: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.memfd_create", _fail)
    answer = api.post("/graphs", files={"file": ("small.m", SMALL_CASE.encode())})
    assert answer.status_code == 503
    assert answer.json()["type"] == "/problems/reader-not-started"


def test_an_answer_is_decoded_before_the_next_reader_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def decode(answer: bytes) -> ReadGrid:
        with pytest.raises(TooManyUploads), reading_slot():
            pass
        return decode_answer(answer)

    monkeypatch.setattr(sandbox, "_admission", AdmissionLimit(concurrent=1, admitted=1))
    monkeypatch.setattr(sandbox, "decode_answer", decode)
    assert run_reader(ask("matpower", SMALL_CASE)).grid.bus_count == 3


_PROBE = """
import os, sys
sys.path.insert(0, sys.argv[1])
from app.ingest.sandbox import process as child
child._limit_resources(2**31, 10)
child._forbid_files_and_processes()
if os.getuid() == 0:
    os.setgid(65534), os.setuid(65534)  # root may start as many processes as it likes
try:
    ({attempt})()
except (OSError, MemoryError):
    sys.exit(0)
os._exit(7)
"""


@pytest.mark.parametrize(
    "attempt",
    [
        "lambda: open('/etc/hostname')",
        "lambda: open('/tmp/x', 'w')",
        "lambda: os.write(os.memfd_create('x'), b'y')",
        "lambda: bytearray(2**32)",
        "lambda: os.fork() or os._exit(7)",
        "lambda: os.posix_spawn('/bin/true', ['true'], {})",
        "lambda: __import__('socket').socket()",
    ],
)
def test_a_confined_process_gets_no_file_memory_process_or_connection(attempt: str) -> None:
    command = [sys.executable, "-I", "-c", _PROBE.replace("{attempt}", attempt), str(ROOT)]
    assert subprocess.run(command, check=False, env={}).returncode == 0


def test_the_processor_time_of_a_confined_process_is_limited() -> None:
    endless = "lambda: [None for _ in iter(int, 1)]"
    probe = _PROBE.replace("{attempt}", endless).replace("2**31, 10", "2**31, 1")
    command = [sys.executable, "-I", "-c", probe, str(ROOT)]
    assert subprocess.run(command, check=False, env={}).returncode in (-signal.SIGXCPU, -9)
