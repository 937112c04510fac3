"""The listening socket of the API."""

import asyncio
import socket

from app.commands.listener import listen


async def accept_one(listener: socket.socket) -> int:
    """Accept a connection as the server does; return whether it sends without delay."""
    options: asyncio.Queue[int] = asyncio.Queue()

    def note(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted: socket.socket = writer.get_extra_info("socket")
        options.put_nowait(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    server = await asyncio.start_server(note, sock=listener)
    async with server:
        _, writer = await asyncio.open_connection(*listener.getsockname()[:2])
        delay_off = await options.get()
        writer.close()
    return delay_off


def test_accepted_connections_send_small_answers_without_delay() -> None:
    with listen("127.0.0.1", 0) as listener:
        assert asyncio.run(accept_one(listener)) == 1
