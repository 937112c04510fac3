"""GET /healthz: the process lives. GET /readyz: it can also do its work."""

from fastapi import APIRouter
from pydantic import BaseModel, Field

from app.db import DatabaseDep
from app.errors import DatabaseUnusable
from app.migration import is_current

router = APIRouter(tags=["health"])


class HealthOut(BaseModel):
    """All is well; what is not leaves as a problem."""

    status: str = Field("ok", examples=["ok"])


@router.get("/healthz")
async def check_life() -> HealthOut:
    """Answer at once, whatever the database and the workers do."""
    return HealthOut()


@router.get("/readyz")
def check_readiness(database: DatabaseDep) -> HealthOut:
    """Answer if the database can be reached and has the newest schema."""
    if not is_current(database):
        raise DatabaseUnusable("The database is not migrated; run `levygrid migrate`.")
    return HealthOut()
