"""GET /healthz: the process lives. GET /readyz: it can also do its work."""

from datetime import datetime

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from app.errors import DatabaseUnusable
from app.jobs.queues import Queue
from app.jobs.workers import list_workers
from app.storage.db import DatabaseDep
from app.storage.migration import is_current

router = APIRouter(tags=["health"])


class HealthOut(BaseModel):
    """All is well; what is not leaves as a problem."""

    status: str = Field("ok", examples=["ok"])


class WorkerOut(BaseModel):
    """One worker that was heard of lately."""

    model_config = ConfigDict(from_attributes=True)

    queues: list[Queue] = Field(examples=[["cpu", "gpu"]])
    device: str = Field(description="What torch found there: cpu or cuda.", examples=["cuda"])
    concurrency: int = Field(description="Jobs that it runs at the same time.", examples=[1])
    heartbeat_at: datetime


class ReadinessOut(HealthOut):
    """All is well, and who is there to run jobs."""

    workers: list[WorkerOut]


@router.get("/healthz")
async def check_life() -> HealthOut:
    """Answer at once, whatever the database and the workers do."""
    return HealthOut()


@router.get("/readyz")
def check_readiness(database: DatabaseDep, request: Request) -> ReadinessOut:
    """Answer if the database can be reached and has the newest schema; name the workers."""
    if not is_current(database):
        raise DatabaseUnusable("The database is not migrated; run `levygrid migrate`.")
    with database.reading() as session:
        rows = list_workers(session, request.app.state.settings.lease_seconds)
    return ReadinessOut(workers=[WorkerOut.model_validate(row) for row in rows])
