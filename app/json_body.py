"""How an endpoint takes JSON: ``StrictJsonRoute`` for schemas, ``JsonBytes`` for bulk."""

from collections.abc import Callable, Coroutine
from email.message import Message
from typing import Annotated, Any

from fastapi import Depends, Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict
from starlette.concurrency import run_in_threadpool

from app.errors import MediaTypeUnsupported
from app.strict_json import parse_json

_JSON = "application/json"


class BodyIn(BaseModel):
    """Base of every request schema: no coercion, no unknown fields."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


class StrictJsonRoute(APIRoute):
    """A route whose JSON body goes through ``parse_json`` before its schema sees it.

    Use it as ``APIRouter(route_class=StrictJsonRoute)``; routes without a body are untouched.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap FastAPI's handler; the body is parsed outside of it, so our errors survive."""
        handle = super().get_route_handler()
        if self.body_field is None:
            return handle

        async def handle_strictly(request: Request) -> Response:
            strict = _StrictRequest(request.scope, request.receive)
            body = await read_json_bytes(strict)
            strict.parsed = await run_in_threadpool(parse_json, body)
            return await handle(strict)

        return handle_strictly


class _StrictRequest(Request):
    parsed: Any = None

    async def json(self) -> Any:
        return self.parsed


async def read_json_bytes(request: Request) -> bytes:
    """Return the raw body of a request that declares JSON.

    Raises: MediaTypeUnsupported; BodyTooLarge through the limit on the stream.
    """
    declared = Message()
    declared["content-type"] = request.headers.get("content-type", "")
    if declared.get_content_type() != _JSON:
        raise MediaTypeUnsupported(f"Send the body as {_JSON}.")
    return await request.body()


JsonBytes = Annotated[bytes, Depends(read_json_bytes)]
