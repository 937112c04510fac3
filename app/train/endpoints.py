"""POST /train."""

from fastapi import APIRouter, Request, Response, status

from app.db import DatabaseDep
from app.jobs.dispatch import DispatcherDep
from app.json_body import StrictJsonRoute
from app.train import service
from app.train.schemas import TrainIn, TrainOut

router = APIRouter(prefix="/train", tags=["train"], route_class=StrictJsonRoute)


@router.post("", status_code=status.HTTP_202_ACCEPTED)
def start_training(
    body: TrainIn,
    request: Request,
    response: Response,
    database: DatabaseDep,
    dispatcher: DispatcherDep,
) -> TrainOut:
    """Queue a training job; follow it at `Location`."""
    request_id: str | None = getattr(request.state, "request_id", None)
    with database.writing() as session:
        job = service.enqueue_training(session, body, request_id)
    # Only now is the job there for whoever gets its id.
    dispatcher.dispatch(job.id, job.priority)
    href = f"/jobs/{job.id}"
    response.headers["Location"] = href
    return TrainOut(job_id=job.id, state=job.state, href=href)
