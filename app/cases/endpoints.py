"""GET /cases."""

from fastapi import APIRouter
from pydantic import BaseModel, Field

from app.ingest.cases.catalogue import list_cases

router = APIRouter(prefix="/cases", tags=["graphs"])


class CaseOut(BaseModel):
    """A built-in case; send its name to POST /graphs."""

    name: str = Field(examples=["case118"])
    source: str = Field(examples=["pandapower"])
    buses: int = Field(examples=[118])
    branches: int = Field(description="In service; parallel ones apart.", examples=[186])


class CasesOut(BaseModel):
    """All built-in cases that are installed."""

    items: list[CaseOut]


@router.get("")
def get_cases() -> CasesOut:
    """List the cases that POST /graphs knows by name, with their sizes."""
    return CasesOut(
        items=[CaseOut.model_validate(case, from_attributes=True) for case in list_cases()]
    )
