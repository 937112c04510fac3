"""Endpoint of /cases: the built-in cases."""

from fastapi import APIRouter
from pydantic import BaseModel, Field

from app.ingest.cases.catalogue import list_cases

router = APIRouter(prefix="/cases", tags=["graphs"])


class CaseOut(BaseModel):
    """A built-in case; its name is the `case` of POST /graphs."""

    name: str = Field(examples=["case118"])
    source: str = Field(examples=["pandapower"])
    buses: int = Field(examples=[118])
    branches: int = Field(
        description="Branches in service; parallel ones count separately.", examples=[186]
    )
    has_places: bool = Field(
        description="Whether the case comes with latitude and longitude per bus.",
        examples=[False],
    )
    places_are_approximate: bool = Field(
        description="Whether the places are those of the towns that buses are named after: good "
        "enough for a map, and not used for training or checks.",
        examples=[False],
    )


class CasesOut(BaseModel):
    """All built-in cases that are installed."""

    items: list[CaseOut]


@router.get("", summary="List the built-in cases")
def get_cases() -> CasesOut:
    """List the cases that POST /graphs can store by name, with their sizes."""
    return CasesOut(
        items=[CaseOut.model_validate(case, from_attributes=True) for case in list_cases()]
    )
