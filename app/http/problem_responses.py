"""Problem responses, and their description in OpenAPI."""

import json
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from app.errors import ProblemBody
from app.http.problems import PROBLEMS, TYPE_PREFIX, ProblemKind, describe_failure

MEDIA_TYPE = "application/problem+json"
_RETRY_SECONDS = "5"


class FaultOut(BaseModel):
    """One fault and its place in the request."""

    where: str = Field(description="Place in the request.", examples=["branches[0].to"])
    problem: str = Field(description="What is wrong there.", examples=["there is no bus '9'"])


class Problem(BaseModel):
    """An error in the form of RFC 9457; every error response has this form."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "type": "/problems/grid-rejected",
                "title": "The grid has errors",
                "status": 422,
                "detail": "The grid was not stored: 1 fault.",
                "instance": "/graphs",
                "request_id": "5b1c1a9e0f0c4a44b6f8c7a3f3b1d2e4",
                "errors": [{"where": "branches[0].to", "problem": "there is no bus '9'"}],
            }
        }
    )

    type: str = Field(description="Kind of problem; a GET request to it describes the kind.")
    title: str = Field(description="Short description of the kind of problem.")
    status: int = Field(description="HTTP status code.")
    detail: str = Field(description="What went wrong in this request.")
    instance: str = Field(description="Path of the request.")
    request_id: str = Field(
        description="Id of the request, also in the service log and in `X-Request-ID`."
    )
    suggestions: list[str] = Field(
        [],
        description="Similar names that exist, best first; each can be used in the request.",
        examples=[["Chester"]],
    )
    errors: list[FaultOut] = Field([], description="Every fault of the request, up to 1,000.")
    error_count: int = Field(0, description="Total number of faults.")


def make_response(request: Request, error: Exception) -> Response:
    """Return the response to a request that raised this error."""
    body = describe_failure(error)
    busy = body["status"] == HTTPStatus.TOO_MANY_REQUESTS
    return _render(request, body, {"Retry-After": _RETRY_SECONDS} if busy else None)


def install_handlers(app: FastAPI) -> None:
    """Turn every error of ours and of the framework into a problem response."""
    kinds = framework_kinds()

    async def answer(request: Request, error: Exception) -> Response:
        return make_response(request, error)

    async def answer_framework(request: Request, error: Exception) -> Response:
        kind = kinds[getattr(error, "status_code", HTTPStatus.BAD_REQUEST)]
        body: ProblemBody = {
            "type": f"{TYPE_PREFIX}{kind.slug}",
            "title": kind.title,
            "status": int(kind.status),
            "detail": kind.detail or kind.title,
        }
        return _render(request, body, getattr(error, "headers", None))

    for kind in PROBLEMS:
        if kind is not Exception:
            app.add_exception_handler(kind, answer)
    for status in kinds:
        app.add_exception_handler(status, answer_framework)


def framework_kinds() -> dict[int, ProblemKind]:
    """Return the kinds of problem that the framework itself raises, by status."""
    return {
        int(status): ProblemKind(
            status, status.phrase.lower().replace(" ", "-"), status.phrase, status.description
        )
        for status in HTTPStatus
        if 400 <= status < 500
    }


def document_problems(schema: dict[str, Any]) -> dict[str, Any]:
    """Add the problem responses to every operation of an OpenAPI description."""
    components = schema.setdefault("components", {}).setdefault("schemas", {})
    problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    components.update(problem.pop("$defs", {}))
    components["Problem"] = problem
    for name in ("HTTPValidationError", "ValidationError"):
        components.pop(name, None)
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for operations in schema.get("paths", {}).values():
        for operation in operations.values():
            responses = operation.setdefault("responses", {})
            responses.pop("422", None)  # the form of FastAPI, which this service never sends
            responses["4XX"] = {
                "description": "The request has errors or cannot be carried out now.",
                "content": content,
            }
            responses["5XX"] = {
                "description": "The service failed or is not available.",
                "content": content,
            }
    return schema


def _render(request: Request, body: ProblemBody, headers: Any = None) -> Response:
    body["instance"] = request.url.path
    body["request_id"] = getattr(request.state, "request_id", "")
    # ASCII, because a lone surrogate in a text of the client could not be encoded as UTF-8.
    content = json.dumps(body).encode("ascii")
    return Response(content, body["status"], headers, MEDIA_TYPE)
