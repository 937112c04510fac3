"""Responses with columns of many rows, encoded without a pydantic model per row."""

from typing import Any

import msgspec
from fastapi import Response


def respond_columns(columns: Any) -> Response:
    """Return a JSON response of plain values; NaN becomes null."""
    return Response(msgspec.json.encode(columns), media_type="application/json")
