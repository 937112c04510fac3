"""``levygrid serve``: starts and stops the API, its workers and the first start."""

import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import httpx

from app.commands.data_folder import hold_data_folder
from app.commands.first_start import is_empty, start_loading, stop_loading
from app.commands.listener import describe, listen
from app.logs import configure_logs
from app.server import ApiServer, make_app
from app.settings import Settings
from app.storage.db import Database
from app.storage.migration import upgrade
from app.worker.supervisor import Supervisor

_POLL_SECONDS = 0.2
_ANSWER_SECONDS = 60


def serve(settings: Settings) -> None:
    """Run until SIGINT or SIGTERM. Raises: StartFailed or one of its subclasses."""
    configure_logs(settings.log_level)
    with (
        hold_data_folder(settings.data_dir),
        listen(settings.host, settings.port) as listener,
    ):
        if settings.api_processes > 1:
            _serve_in_processes(settings, listener)
        else:
            _serve_here(settings, listener)


def _serve_here(settings: Settings, listener: socket.socket) -> None:
    server = ApiServer(make_app(settings), settings, lambda: _announce(listener))

    def stop() -> None:
        server.should_exit = True

    with _signals_call(stop):
        upgrade(settings.resolved_database_url)
        with _workers(settings), _first_start(settings):
            if not server.should_exit:
                server.run(sockets=[listener])


def _serve_in_processes(settings: Settings, listener: socket.socket) -> None:
    """Let child processes accept connections on one socket; this process only watches them.

    The socket stays open here, so that a connection which arrives while a child is restarted
    waits for another child and is not refused.
    """
    stopped = _Stop()
    with _signals_call(stopped.set):
        upgrade(settings.resolved_database_url)
        children = Supervisor(settings, settings.api_processes, "app.server", listener.fileno())
        children.start()
        try:
            threading.Thread(target=_announce_first, args=(listener,), daemon=True).start()
            with _workers(settings), _first_start(settings):
                stopped.wait()
        finally:
            children.stop()


class _Stop:
    """A flag that a signal handler may set: setting an event there could deadlock."""

    def __init__(self) -> None:
        self._is_set = False

    def set(self) -> None:
        self._is_set = True

    def wait(self) -> None:
        never = threading.Event()
        while not self._is_set:
            never.wait(_POLL_SECONDS)


def _announce_first(listener: socket.socket) -> None:
    """Print the URL once a child has answered: until then the request waits in the socket."""
    address = f"{describe(listener)}/healthz"
    while True:
        try:
            httpx.get(address, timeout=_ANSWER_SECONDS)
        except httpx.TransportError:
            continue
        _announce(listener)
        return


def _announce(listener: socket.socket) -> None:
    sys.stdout.write(f"Levygrid is at {describe(listener)} (Ctrl-C stops it)\n")
    sys.stdout.flush()


@contextmanager
def _signals_call(stop: Callable[[], None]) -> Iterator[None]:
    """Shut the service down in order on SIGINT and SIGTERM, also while it is starting.

    While uvicorn runs, it installs its own handlers, and raises the signal again afterwards.
    """

    def handle(_signal: int, _frame: FrameType | None) -> None:
        stop()

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _workers(settings: Settings) -> Iterator[None]:
    """Run the embedded workers, unless a broker delivers jobs to other workers."""
    count = 0 if settings.broker_url else settings.workers
    supervisor = Supervisor(settings, count)
    supervisor.start()
    try:
        yield
    finally:
        supervisor.stop()


@contextmanager
def _first_start(settings: Settings) -> Iterator[None]:
    """Load a first grid in the background if the database is empty."""
    database = Database(settings.resolved_database_url)
    wanted = settings.first_start_demo and is_empty(database)
    database.close()
    process = start_loading(settings) if wanted else None
    try:
        yield
    finally:
        if process is not None:
            stop_loading(process)
