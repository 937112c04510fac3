"""Responses from a temporary file: a slow client occupies disk space, but neither memory nor work.

The file is complete before the first byte is sent, so that an error while it is written is
still answered with a problem, and the length is known.
"""

from collections.abc import Iterable, Iterator
from tempfile import SpooledTemporaryFile
from typing import IO

from fastapi.responses import StreamingResponse
from starlette.background import BackgroundTask

_IN_MEMORY = 2**20
_PIECE = 2**18


def spool(pieces: Iterable[bytes]) -> IO[bytes]:
    """Write pieces to a temporary file, in memory while it is small; the file has no name."""
    file = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - the response closes it
    try:
        for piece in pieces:
            file.write(piece)
    except BaseException:
        file.close()
        raise
    return file


class SpooledResponse(StreamingResponse):
    """Sends a temporary file from its beginning and closes it."""

    def __init__(self, file: IO[bytes], *, media_type: str, headers: dict[str, str]) -> None:
        length = {"Content-Length": str(file.tell())}
        super().__init__(
            _read(file),
            media_type=media_type,
            headers=headers | length,
            background=BackgroundTask(file.close),
        )


def _read(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        file.seek(0)
        while piece := file.read(_PIECE):
            yield piece
