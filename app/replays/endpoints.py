"""POST /models/{id}/replay."""

from fastapi import APIRouter, status
from sqlalchemy.orm import Session

from app.jobs.schemas import JobAcceptedOut
from app.jobs.submission import Accepted, SubmissionDep
from app.models.schemas import ModelId
from app.replays.service import enqueue_replay

router = APIRouter(prefix="/models", tags=["models"])


@router.post(
    "/{model_id}/replay",
    status_code=status.HTTP_202_ACCEPTED,
    summary="Train a model again to check that it is reproducible",
)
def replay_model(model_id: ModelId, submission: SubmissionDep) -> JobAcceptedOut:
    """Queues a job that trains a model again from its manifest and compares the two.

    The result of the job states whether the logits are bit-equal, equal within a tolerance or
    different, or which input has changed so that a replay is impossible. It is also shown on
    the model card.
    """

    def make(session: Session) -> Accepted:
        return Accepted.one_job(enqueue_replay(session, model_id, submission.request_id))

    return JobAcceptedOut(**submission.submit(None, make))
