"""A TCP relay that can be muted: it then accepts connections but passes no bytes on."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Relay:
    """Passes bytes between clients and a port of this machine until it is muted."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._muted = threading.Event()
        self._sockets = [socket.create_server(("127.0.0.1", 0))]
        self.port: int = self._sockets[0].getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def mute(self) -> None:
        """Stop passing bytes on."""
        self._muted.set()

    def close(self) -> None:
        """End every connection."""
        for connection in self._sockets:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

    def _accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                client, _ = self._sockets[0].accept()
                server = socket.create_connection(("127.0.0.1", self._target))
                self._sockets += [client, server]
                for ends in ((client, server), (server, client)):
                    threading.Thread(target=self._pass, args=ends, daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):  # closed
            while content := source.recv(65_536):
                if not self._muted.is_set():
                    sink.sendall(content)
            sink.shutdown(socket.SHUT_RDWR)


@contextmanager
def relay_to(port: int) -> Iterator[Relay]:
    """Open a relay to a port and close it at the end."""
    relay = Relay(port)
    try:
        yield relay
    finally:
        relay.close()
