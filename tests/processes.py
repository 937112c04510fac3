"""Runs our commands as real processes and kills what they leave behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import psutil
import pytest

Found = TypeVar("Found")
PATIENCE = 300.0
"""Seconds that a test waits for something that takes two on an idle machine."""


def wait_for(look: Callable[[], Found | None], what: str, seconds: float = PATIENCE) -> Found:
    """Return the first thing found; fail the test if there is none in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = look()
        if found:
            return found
        time.sleep(0.02)
    pytest.fail(f"{what} did not happen within {seconds:g} seconds")


class Program:
    """One running ``levygrid`` command and every process that it starts."""

    def __init__(self, command: list[str], settings: dict[str, str], folder: Path) -> None:
        clean = {k: v for k, v in os.environ.items() if not k.startswith("LEVYGRID_")}
        chosen = {"warm_up": "false"} | settings
        given = {f"LEVYGRID_{name.upper()}": value for name, value in chosen.items()}
        self._output = folder / f"{command[0]}-{time.monotonic_ns()}"
        with self._output.open("wb") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "app.cli", *command],
                env=clean | given | {"PYTHONUNBUFFERED": "1"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        self._known: set[psutil.Process] = {psutil.Process(self._process.pid)}

    @property
    def pid(self) -> int:
        """The id of the process itself."""
        return self._process.pid

    @property
    def output(self) -> str:
        """What it has written so far, both streams."""
        return self._output.read_text()

    def children(self, module: str = "") -> list[psutil.Process]:
        """Return the running processes below, those that run ``module`` if given."""
        try:
            found = psutil.Process(self.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []
        self._known.update(found)
        return [process for process in found if _runs(process, module)]

    def send(self, number: signal.Signals) -> None:
        """Signal the process itself."""
        self.children()
        self._process.send_signal(number)

    def wait(self) -> int:
        """Wait for its end and return the exit code."""
        return self._process.wait(PATIENCE)

    def survivors(self) -> list[psutil.Process]:
        """Return the processes it ever had that still live."""
        return [process for process in self._known if _lives(process)]

    def destroy(self) -> None:
        """Leave nothing behind, whatever the test did."""
        self.children()
        for process in self.survivors():
            process.kill()
        self._process.wait()


@contextmanager
def running(command: list[str], settings: dict[str, str], folder: Path) -> Iterator[Program]:
    """Start a command of ours and leave no process of it behind."""
    program = Program(command, settings, folder)
    try:
        yield program
    finally:
        program.destroy()


def _runs(process: psutil.Process, module: str) -> bool:
    try:
        return not module or module in process.cmdline()
    except psutil.NoSuchProcess:
        return False


def _lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
