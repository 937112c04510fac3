"""Responses with many rows, encoded without a pydantic model per row."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from fastapi import Response


def respond_columns(columns: Any) -> Response:
    """Return a JSON response of plain values; NaN becomes null."""
    return Response(msgspec.json.encode(columns), media_type="application/json")


def write_object(
    before: dict[str, Any],
    name: str,
    pieces: Iterable[list[Any]],
    after: dict[str, Any] | None = None,
) -> Iterator[bytes]:
    """Yield a JSON object with one long list, which is encoded piece by piece.

    ``before`` has at least one field; the list stands between its fields and those of ``after``.
    """
    yield msgspec.json.encode(before)[:-1] + b',"%b":[' % name.encode()
    yield from write_items(pieces)
    yield b"]"
    for key, value in (after or {}).items():
        yield b"," + msgspec.json.encode({key: value})[1:-1]
    yield b"}"


def write_items(pieces: Iterable[list[Any]]) -> Iterator[bytes]:
    """Yield the items of a JSON list without its brackets."""
    separator = b""
    for piece in filter(None, pieces):
        yield separator + msgspec.json.encode(piece)[1:-1]
        separator = b","
