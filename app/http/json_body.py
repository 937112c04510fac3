"""JSON request bodies: ``StrictJsonRoute`` for schemas, ``JsonBytes`` for bulk data."""

from collections.abc import Callable, Coroutine
from email.message import Message
from typing import Annotated, Any

from fastapi import Depends, Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict
from starlette.concurrency import run_in_threadpool

from app.errors import BodyTooLarge, MediaTypeUnsupported
from app.http.strict_json import parse_json

_JSON = "application/json"
_MOST_BYTES = 2**20
"""Limit of a body with a schema: parsing it must not delay other requests noticeably."""


class BodyIn(BaseModel):
    """Base of every request schema: no coercion, no unknown fields."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


class StrictJsonRoute(APIRoute):
    """A route that parses its JSON body with ``parse_json`` before validating the schema.

    Use it as ``APIRouter(route_class=StrictJsonRoute)``. Routes without a body are not affected;
    an empty optional body needs no content type.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap FastAPI's handler; parsing outside of it keeps our errors intact."""
        handle = super().get_route_handler()
        if self.body_field is None:
            return handle
        is_required = self.body_field.field_info.is_required()

        async def handle_strictly(request: Request) -> Response:
            strict = _StrictRequest(request.scope, request.receive)
            if not is_required and not await strict.body():
                return await handle(strict)  # an empty optional body needs no content type
            body = await read_json_bytes(strict, _MOST_BYTES)
            strict.parsed = await run_in_threadpool(parse_json, body)
            return await handle(strict)

        return handle_strictly


class _StrictRequest(Request):
    parsed: Any = None

    async def json(self) -> Any:
        return self.parsed


async def read_json_bytes(request: Request, most: int | None = None) -> bytes:
    """Return the raw body of a request that declares JSON.

    Raises: MediaTypeUnsupported; BodyTooLarge, also through the limit on the stream.
    """
    declared = Message()
    declared["content-type"] = request.headers.get("content-type", "")
    if declared.get_content_type() != _JSON:
        raise MediaTypeUnsupported(f"The request body must be sent with the content type {_JSON}.")
    body = await request.body()
    if most is not None and len(body) > most:
        raise BodyTooLarge(
            f"The request body has more than {most:,} bytes, the limit of this endpoint."
        )
    return body


JsonBytes = Annotated[bytes, Depends(read_json_bytes)]
