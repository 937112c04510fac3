"""Answers with columns of many rows: encoded at once, without a model per row."""

from typing import Any

import msgspec
from fastapi import Response


def respond_columns(columns: Any) -> Response:
    """Encode plain values as JSON; nan becomes null."""
    return Response(msgspec.json.encode(columns), media_type="application/json")
