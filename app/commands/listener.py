"""Opens the port of the API before anything else is started."""

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from app.errors import PortTaken, StartFailed

_ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - shown, not listened on


@contextmanager
def listen(host: str, port: int) -> Iterator[socket.socket]:
    """Listen on an address; port 0 is any free port. Raises: PortTaken, StartFailed."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        # asyncio sends without delay (TCP_NODELAY) only if it can see that this is TCP; without
        # the number every answer on a kept connection waits 40 ms for an acknowledgement.
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise StartFailed(
            f"Cannot listen on the address {host!r}: {error.strerror}. Check LEVYGRID_HOST."
        ) from error
    with listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(address)
            listener.listen()
        except OSError as error:
            raise _explain(error, host, port) from error
        yield listener


def describe(listener: socket.socket) -> str:
    """Return the URL for a browser on this machine."""
    host, port = listener.getsockname()[:2]
    host = _ANYWHERE.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _explain(error: OSError, host: str, port: int) -> StartFailed:
    if error.errno == errno.EADDRINUSE:
        return PortTaken(
            f"Port {port} of {host} is in use by another program. "
            "Set LEVYGRID_PORT to another port, or to 0 for any free one."
        )
    return StartFailed(f"Cannot listen on port {port} of {host}: {error.strerror}.")
