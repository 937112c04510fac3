"""GET /problems and /problems/{name}: what the ``type`` of a problem leads to."""

from http import HTTPStatus
from typing import Annotated, Self

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from app.errors import NotFound
from app.http.problem_responses import framework_kinds
from app.http.problems import PROBLEMS, TYPE_PREFIX, ProblemKind

router = APIRouter(prefix="/problems", tags=["problems"])


class ProblemKindOut(BaseModel):
    """One kind of problem."""

    type: str = Field(examples=["/problems/bus-not-found"])
    title: str = Field(examples=["No such bus"])
    status: HTTPStatus = Field(examples=[404])

    @classmethod
    def from_kind(cls, kind: ProblemKind) -> Self:
        """Translate a row of the table."""
        return cls(type=f"{TYPE_PREFIX}{kind.slug}", title=kind.title, status=kind.status)


class ProblemKindsOut(BaseModel):
    """Every kind of problem."""

    items: list[ProblemKindOut]


@router.get("")
def list_problems() -> ProblemKindsOut:
    """List every kind of problem that an answer or a failed job can have."""
    kinds = _kinds()
    return ProblemKindsOut(items=[ProblemKindOut.from_kind(kinds[slug]) for slug in sorted(kinds)])


@router.get("/{name}")
def get_problem(name: Annotated[str, Path(max_length=64)]) -> ProblemKindOut:
    """Show one kind of problem."""
    kind = _kinds().get(name)
    if kind is None:
        raise NotFound(f"There is no kind of problem {name!r}.")
    return ProblemKindOut.from_kind(kind)


def _kinds() -> dict[str, ProblemKind]:
    return {kind.slug: kind for kind in [*framework_kinds().values(), *PROBLEMS.values()]}
