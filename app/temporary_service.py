"""Runs a service in a temporary folder, for demonstrations, benchmarks and tests."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from app.errors import StartFailed
from app.settings import Settings
from app.worker.process import child_environment

_ADDRESS = re.compile(r"http://\S+")


@contextmanager
def run_temporary_service(
    workers: int = 1, threads: int = 0, broker_url: str = ""
) -> Iterator[str]:
    """Start ``levygrid serve`` on a free port and yield its URL.

    ``workers`` are processes of the service or, with a broker, Celery workers. ``threads`` is
    the number per job; 0 lets the service choose. Raises: StartFailed.
    """
    with TemporaryDirectory(prefix="levygrid-demo-") as folder, ExitStack() as processes:
        settings = Settings(
            host="127.0.0.1",
            port=0,
            data_dir=Path(folder),
            database_url="",
            broker_url=broker_url,
            workers=workers,
            threads=threads,
            first_start_demo=False,
            log_level="WARNING",
        )
        address = _read_address(processes.enter_context(_run(settings, "serve")))
        for _ in range(workers if broker_url else 0):
            processes.enter_context(_run(settings, "worker"))
        yield address


@contextmanager
def _run(settings: Settings, command: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-P", "-m", "app.cli", command],
        env=child_environment(settings, threads=1),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


def _read_address(process: subprocess.Popen[str]) -> str:
    line = process.stdout.readline() if process.stdout is not None else ""
    address = _ADDRESS.search(line)
    if address is None:
        raise StartFailed("The temporary service did not start; its log is above.")
    return address.group()
