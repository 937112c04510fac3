"""How a problem leaves the service: as an answer and in the OpenAPI description."""

import json
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from app.http.problems import PROBLEMS, TYPE_PREFIX, ProblemKind, describe_failure

MEDIA_TYPE = "application/problem+json"


class FaultOut(BaseModel):
    """One thing that is wrong and where."""

    where: str
    problem: str


class Problem(BaseModel):
    """RFC 9457: what went wrong, in the same form whatever it was."""

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

    type: str
    title: str
    status: int
    detail: str
    instance: str = Field(description="The path that was asked for.")
    request_id: str = Field(description="Also in the log of the service and in X-Request-ID.")
    errors: list[FaultOut] = Field([], description="Every fault, up to 1,000.")
    error_count: int = Field(0, description="How many faults there are in all.")


def make_response(request: Request, error: Exception) -> Response:
    """Render an error as the answer to a request."""
    return _render(request, describe_failure(error))


def install_handlers(app: FastAPI) -> None:
    """Let every error of ours and of the framework leave as a problem."""
    kinds = framework_kinds()

    async def answer(request: Request, error: Exception) -> Response:
        return make_response(request, error)

    async def answer_framework(request: Request, error: Exception) -> Response:
        kind = kinds[getattr(error, "status_code", HTTPStatus.BAD_REQUEST)]
        body = {
            "type": f"{TYPE_PREFIX}{kind.slug}",
            "title": kind.title,
            "status": int(kind.status),
            "detail": kind.detail,
        }
        return _render(request, body, getattr(error, "headers", None))

    for kind in PROBLEMS:
        if kind is not Exception:
            app.add_exception_handler(kind, answer)
    for status in kinds:
        app.add_exception_handler(status, answer_framework)


def framework_kinds() -> dict[int, ProblemKind]:
    """Return the kinds of problem that the framework itself finds, by status."""
    return {
        int(status): ProblemKind(
            status, status.phrase.lower().replace(" ", "-"), status.phrase, status.description
        )
        for status in HTTPStatus
        if 400 <= status < 500
    }


def document_problems(schema: dict[str, Any]) -> dict[str, Any]:
    """Add the problem form to an OpenAPI description, for every operation."""
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
            responses.pop("422", None)  # FastAPI's own form, which never leaves this service
            responses["4XX"] = {"description": "The request cannot be met.", "content": content}
            responses["5XX"] = {"description": "The service failed.", "content": content}
    return schema


def _render(request: Request, body: dict[str, Any], headers: Any = None) -> Response:
    body["instance"] = request.url.path
    body["request_id"] = getattr(request.state, "request_id", "")
    # ASCII on the wire: half a surrogate pair in a client's text must not break the answer.
    content = json.dumps(body).encode("ascii")
    return Response(content, body["status"], headers, MEDIA_TYPE)
