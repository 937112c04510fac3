"""POST /train."""

from fastapi import APIRouter, status
from sqlalchemy.orm import Session

from app.jobs.schemas import JobAcceptedOut
from app.jobs.submission import Accepted, SubmissionDep
from app.json_body import StrictJsonRoute
from app.train import service
from app.train.schemas import TrainIn

router = APIRouter(prefix="/train", tags=["train"], route_class=StrictJsonRoute)


@router.post("", status_code=status.HTTP_202_ACCEPTED)
def start_training(body: TrainIn, submission: SubmissionDep) -> JobAcceptedOut:
    """Queue a training job; follow it at `Location`."""

    def make(session: Session) -> Accepted:
        return Accepted.one_job(service.enqueue_training(session, body, submission.request_id))

    return JobAcceptedOut(**submission.submit(body.model_dump(mode="json"), make))
