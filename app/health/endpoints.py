"""GET /healthz: the process runs. GET /readyz: its database is usable too."""

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
    """The service is healthy; anything else is a problem response."""

    status: str = Field("ok", examples=["ok"])


class WorkerOut(BaseModel):
    """A worker with a recent heartbeat."""

    model_config = ConfigDict(from_attributes=True)

    queues: list[Queue] = Field(description="Queues that it serves.", examples=[["cpu", "gpu"]])
    device: str = Field(
        description="Device of the worker: cpu, cuda or unknown.", examples=["cuda"]
    )
    concurrency: int = Field(
        description="Number of jobs that it runs at the same time.", examples=[1]
    )
    heartbeat_at: datetime = Field(description="Time of the last heartbeat.")


class ReadinessOut(HealthOut):
    """The service is ready; lists the running workers."""

    workers: list[WorkerOut] = Field(description="Workers with a recent heartbeat.")


@router.get("/healthz", summary="Check that the process runs")
async def check_life() -> HealthOut:
    """Answers at once, independent of the database and the workers."""
    return HealthOut()


@router.get("/readyz", summary="Check that the service is ready")
def check_readiness(database: DatabaseDep, request: Request) -> ReadinessOut:
    """Checks that the database is reachable and has the newest schema; lists the workers.

    Answers 503 if the database is not usable.
    """
    if not is_current(database):
        raise DatabaseUnusable(
            "The database does not have the newest schema. Run `levygrid migrate`."
        )
    with database.reading() as session:
        rows = list_workers(session, request.app.state.settings.lease_seconds)
    return ReadinessOut(workers=[WorkerOut.model_validate(row) for row in rows])
