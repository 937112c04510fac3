"""``levygrid serve``: starts and stops the API, its workers and the first start."""

import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn

from app.commands.data_folder import hold_data_folder
from app.commands.first_start import is_empty, start_loading, stop_loading
from app.commands.listener import describe, listen
from app.logs import configure_logs
from app.main import create_app
from app.settings import Settings
from app.storage.db import Database
from app.storage.migration import upgrade
from app.worker.dispatchers import choose_dispatcher
from app.worker.supervisor import Supervisor

_GRACE_SECONDS = 3


def serve(settings: Settings) -> None:
    """Run until SIGINT or SIGTERM. Raises: StartFailed or one of its subclasses."""
    configure_logs(settings.log_level)
    with (
        hold_data_folder(settings.data_dir),
        listen(settings.host, settings.port) as listener,
    ):
        server = _AnnouncingServer(settings, listener)
        with _signals_stop(server):
            upgrade(settings.resolved_database_url)
            with _workers(settings), _first_start(settings):
                if not server.should_exit:
                    server.run(sockets=[listener])


class _AnnouncingServer(uvicorn.Server):
    """A server that prints its URL once it accepts requests."""

    def __init__(self, settings: Settings, listener: socket.socket) -> None:
        self._address = describe(listener)
        self._app = create_app(settings, choose_dispatcher(settings))
        config = uvicorn.Config(
            self._app,
            loop=settings.event_loop,
            access_log=False,
            log_config=None,
            server_header=False,
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        super().__init__(config)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then print the URL."""
        await super().startup(sockets)
        if self.started:
            sys.stdout.write(f"Levygrid is at {self._address} (Ctrl-C stops it)\n")
            sys.stdout.flush()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the event streams, which clients keep open, then stop."""
        self._app.state.job_streams.end_all()
        await super().shutdown(sockets)


@contextmanager
def _signals_stop(server: uvicorn.Server) -> Iterator[None]:
    """Shut the service down in order on SIGINT and SIGTERM, also while it is starting.

    While uvicorn runs, it installs its own handlers, and raises the signal again afterwards.
    """

    def stop(_signal: int, _frame: FrameType | None) -> None:
        server.should_exit = True

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
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
