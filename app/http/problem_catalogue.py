"""GET /problems and /problems/{name}: descriptions of the problem types."""

from http import HTTPStatus
from typing import Annotated, Self

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from app.errors import NotFound
from app.http.problem_responses import framework_kinds
from app.http.problems import PROBLEMS, TYPE_PREFIX, ProblemKind

router = APIRouter(prefix="/problems", tags=["problems"])


class ProblemKindOut(BaseModel):
    """A kind of problem."""

    type: str = Field(
        description="Value of `type` in a problem body.", examples=["/problems/bus-not-found"]
    )
    title: str = Field(description="Short description.", examples=["Bus not found"])
    status: HTTPStatus = Field(description="HTTP status code.", examples=[404])

    @classmethod
    def from_kind(cls, kind: ProblemKind) -> Self:
        """Convert a row of the table."""
        return cls(type=f"{TYPE_PREFIX}{kind.slug}", title=kind.title, status=kind.status)


class ProblemKindsOut(BaseModel):
    """All kinds of problem."""

    items: list[ProblemKindOut]


@router.get("", summary="List the kinds of error a response can contain")
def list_problems() -> ProblemKindsOut:
    """Returns every kind of problem that a response or a failed job can contain."""
    kinds = _kinds()
    return ProblemKindsOut(items=[ProblemKindOut.from_kind(kinds[slug]) for slug in sorted(kinds)])


@router.get("/{name}", summary="Explain one kind of error")
def get_problem(name: Annotated[str, Path(max_length=64)]) -> ProblemKindOut:
    """Returns the title and status of one kind of problem."""
    kind = _kinds().get(name)
    if kind is None:
        raise NotFound(f"There is no kind of problem {name!r}. GET /problems lists all of them.")
    return ProblemKindOut.from_kind(kind)


def _kinds() -> dict[str, ProblemKind]:
    return {kind.slug: kind for kind in [*framework_kinds().values(), *PROBLEMS.values()]}
