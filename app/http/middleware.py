"""Middleware of every request: request id, log line, size limits, security headers."""

import re
import time
from typing import Any
from uuid import uuid4

import structlog
from fastapi import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import AddressInvalid, BodyTooLarge
from app.http.problem_responses import make_response

REQUEST_ID_HEADER = "X-Request-ID"
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)
_DRAINED = 4
"""An oversized body is read and dropped up to this multiple of the limit, so that clients that
send everything before they read still receive the response."""
_QUIET_PATHS = frozenset({"/healthz", "/readyz"})
# HTML pages set their own policy; everything else is data that no browser renders.
_SAFE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_RAW_SAFE_HEADERS = [
    (name.lower().encode("latin-1"), value.encode("latin-1"))
    for name, value in _SAFE_HEADERS.items()
]
_RAW_REQUEST_ID = REQUEST_ID_HEADER.lower().encode("latin-1")
_log = structlog.get_logger("levygrid.api")


class RequestContext:
    """Assigns the request id, logs the request, and turns unknown errors into problems."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = _choose_request_id(scope)
        scope.setdefault("state", {})["request_id"] = request_id
        status = 0

        async def send_marked(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                _complete_headers(message, request_id)
            await send(message)

        started = time.perf_counter()
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self.app(scope, receive, send_marked)
            except Exception as error:
                _log.exception("request failed", path=scope["path"])
                if status:
                    raise  # part of the response was sent: closing the connection is all we can do
                await make_response(Request(scope), error)(scope, receive, send_marked)
            finally:
                _log_request(scope, status, started)


class RequestLimits:
    """Refuses bodies over the limit, announced or streamed, and URLs with NUL characters."""

    def __init__(self, app: ASGIApp, body_limit: int) -> None:
        self.app = app
        self.body_limit = body_limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        error: Exception | None = None
        if "\0" in scope["path"] or b"%00" in scope["query_string"]:
            error = AddressInvalid("The URL contains a NUL character.")
        elif _announced_length(scope) > self.body_limit:
            await _drain(receive, _DRAINED * self.body_limit)
            error = self._too_large()
        if error is None:
            await self.app(scope, self._counted(receive), send)
        else:
            await make_response(Request(scope), error)(scope, receive, send)

    def _counted(self, receive: Receive) -> Receive:
        received = 0

        async def receive_counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self.body_limit:
                if message.get("more_body"):
                    await _drain(receive, _DRAINED * self.body_limit)
                raise self._too_large()
            return message

        return receive_counted

    def _too_large(self) -> BodyTooLarge:
        return BodyTooLarge(
            f"The request body is larger than the limit of {self.body_limit:,} bytes."
        )


def _choose_request_id(scope: Scope) -> str:
    client_id = _find_header(scope, _RAW_REQUEST_ID)
    return client_id if _REQUEST_ID.fullmatch(client_id) else uuid4().hex


def _find_header(scope: Scope, name: bytes, default: str = "") -> str:
    """Return a header of a request; quicker than ``Headers``, which copies the list."""
    for key, value in scope["headers"]:
        if key == name:
            text: str = value.decode("latin-1")
            return text
    return default


def _complete_headers(message: Message, request_id: str) -> None:
    given = [header for header in message.get("headers", ()) if header[0] != _RAW_REQUEST_ID]
    names = {name.lower() for name, _ in given}
    missing = [header for header in _RAW_SAFE_HEADERS if header[0] not in names]
    message["headers"] = [*given, (_RAW_REQUEST_ID, request_id.encode("latin-1")), *missing]


def _log_request(scope: Scope, status: int, started: float) -> None:
    facts: dict[str, Any] = {
        "method": scope["method"],
        "path": scope["path"],
        "status": status,
        "milliseconds": round(1000 * (time.perf_counter() - started), 1),
    }
    write = _log.debug if scope["path"] in _QUIET_PATHS else _log.info
    write("request", **facts)


def _announced_length(scope: Scope) -> int:
    text = _find_header(scope, b"content-length", "0")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0


async def _drain(receive: Receive, most: int) -> None:
    dropped = 0
    while dropped <= most:
        message = await receive()
        dropped += len(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body"):
            return
