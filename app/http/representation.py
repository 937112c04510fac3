"""Complete response bodies with an ETag, conditional requests and gzip."""

import gzip
import hashlib
import zlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple, Self

from fastapi import Response
from starlette.types import Receive, Scope, Send

RawHeaders = Iterable[tuple[bytes, bytes]]

_LARGE = 2048
"""Bodies from this size on are also stored compressed; a smaller one fits into two packets."""
_JSON = (b"content-type", b"application/json")
_REVALIDATE = (b"cache-control", b"no-cache")
_VARY = (b"vary", b"Accept-Encoding")
_GZIP = (b"content-encoding", b"gzip")


class Representation(NamedTuple):
    """A JSON body, its ETag (a hash of the bytes) and, for a large body, its gzip form."""

    body: bytes
    etag: bytes
    compressed: bytes | None

    @classmethod
    def prepare(cls, body: bytes) -> Self:
        """Hash a body, and compress it if it is large."""
        digest = hashlib.blake2b(body, digest_size=12).hexdigest().encode()
        # mtime=0: the same body gives the same bytes.
        compressed = gzip.compress(body, 6, mtime=0) if len(body) >= _LARGE else None
        return cls(body, digest, compressed)

    @property
    def size(self) -> int:
        """The number of bytes of all forms."""
        return len(self.body) + len(self.etag) + len(self.compressed or b"")

    def select(self, headers: RawHeaders) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        """Return the status, headers and body for a request with these headers.

        The gzip form has an ETag of its own; If-None-Match may name either.
        """
        known, encodings = b"", b""
        for name, value in headers:
            if name == b"if-none-match":
                known = value
            elif name == b"accept-encoding":
                encodings = value
        sent, etag = self.body, b'"%b"' % self.etag
        chosen = [_JSON, _REVALIDATE]
        if self.compressed is not None:
            chosen.append(_VARY)
            if accepts_gzip(encodings):
                sent, etag = self.compressed, b'"%b-gzip"' % self.etag
                chosen.append(_GZIP)
        chosen.append((b"etag", etag))
        if known and self._is_known(known):
            return 304, [header for header in chosen if header not in (_JSON, _GZIP)], b""
        chosen.append((b"content-length", b"%d" % len(sent)))
        return 200, chosen, sent

    def _is_known(self, names: bytes) -> bool:
        tags = {name.strip().removeprefix(b"W/").strip(b'"') for name in names.split(b",")}
        return not tags.isdisjoint((b"*", self.etag, self.etag + b"-gzip"))


async def send_representation(body: Representation, scope: Scope, send: Send) -> None:
    """Answer GET or HEAD with a body, or with 304 if the client has it already."""
    status, headers, content = body.select(scope["headers"])
    await send({"type": "http.response.start", "status": status, "headers": headers})
    sent = b"" if scope["method"] == "HEAD" else content
    await send({"type": "http.response.body", "body": sent})


class RepresentationResponse(Response):
    """The response of a FastAPI route that sends a representation."""

    def __init__(self, body: Representation) -> None:
        super().__init__(media_type="application/json")
        self._representation = body

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Send it in the form that the request asks for."""
        await send_representation(self._representation, scope, send)


@lru_cache(64)
def accepts_gzip(encodings: bytes) -> bool:
    """Return whether an Accept-Encoding header allows gzip."""
    for item in encodings.lower().split(b","):
        name, _, parameters = item.partition(b";")
        if name.strip() in (b"gzip", b"*"):
            return not _is_zero(parameters)
    return False


def compress(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a stream in gzip form; quickly rather than tightly, because it is made per request."""
    packer = zlib.compressobj(level=1, wbits=zlib.MAX_WBITS | 16)
    for piece in pieces:
        packed = packer.compress(piece)
        if packed:
            yield packed
    yield packer.flush()


def _is_zero(parameters: bytes) -> bool:
    _, _, quality = parameters.replace(b" ", b"").partition(b"q=")
    return bool(quality) and not quality.strip(b"0.")
