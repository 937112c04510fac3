"""The HTTP server of the API; as a module, one of several API processes on one socket."""

import signal
import socket
import sys
from collections.abc import Callable

import uvicorn
from fastapi import FastAPI

from app.logs import configure_logs
from app.main import create_app
from app.settings import Settings
from app.worker.dispatchers import choose_dispatcher
from ml import die_with_parent

_GRACE_SECONDS = 3


def make_app(settings: Settings) -> FastAPI:
    """Build the API with the dispatcher that the settings choose."""
    return create_app(settings, choose_dispatcher(settings))


class ApiServer(uvicorn.Server):
    """Serves the API on a listening socket; calls ``on_start`` once it accepts requests."""

    def __init__(
        self, app: FastAPI, settings: Settings, on_start: Callable[[], None] | None = None
    ) -> None:
        self._app = app
        self._on_start = on_start
        config = uvicorn.Config(
            app,
            loop=settings.event_loop,
            access_log=False,
            log_config=None,
            server_header=False,
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        super().__init__(config)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then call ``on_start``."""
        await super().startup(sockets)
        if self.started and self._on_start is not None:
            self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the event streams, which clients keep open, then stop."""
        self._app.state.job_streams.end_all()
        await super().shutdown(sockets)


def serve_inherited(app: FastAPI, settings: Settings, descriptor: int) -> None:
    """Serve on a listening socket that the parent process has opened."""
    with socket.socket(fileno=descriptor) as listener:
        ApiServer(app, settings).run(sockets=[listener])


def main(descriptor: str, parent: str) -> None:
    """Run as a child process of ``levygrid serve`` and stop when it ends."""
    die_with_parent(int(parent), signal.SIGTERM)
    settings = Settings()
    configure_logs(settings.log_level)
    serve_inherited(make_app(settings), settings, int(descriptor))


if __name__ == "__main__":
    main(*sys.argv[1:])
