"""POST /train."""

from typing import Annotated

from fastapi import APIRouter, Body, Request, status
from sqlalchemy.orm import Session

from app.jobs.schemas import JobAcceptedOut
from app.jobs.submission import Accepted, SubmissionDep
from app.storage.graph_names import resolve_graph
from app.sweeps.schemas import SweepAcceptedOut
from app.train import service
from app.train.config import warn_of_ignored_settings
from app.train.examples import TRAIN_EXAMPLES
from app.train.route import TrainRoute
from app.train.schemas import TrainIn
from app.train.sweep import enqueue_sweep, list_sweep_faults

router = APIRouter(prefix="/train", tags=["train"], route_class=TrainRoute)


@router.post("", status_code=status.HTTP_202_ACCEPTED, summary="Start a training job or a sweep")
def start_training(
    asked: Annotated[TrainIn, Body(openapi_examples=TRAIN_EXAMPLES)],
    submission: SubmissionDep,
    request: Request,
) -> JobAcceptedOut | SweepAcceptedOut:
    """Queues a training job, or all jobs of a sweep.

    The response header `Location` is the path of the job (`/jobs/{id}`) or of the sweep
    (`/sweeps/{id}`), where its progress can be read. A succeeded job has stored a model.
    """
    limit: int = request.app.state.settings.sweep_limit
    faults = [] if asked.sweep is None else list(list_sweep_faults(asked.sweep, limit))

    def make(session: Session) -> Accepted:
        graph_id = resolve_graph(session, asked.graph_id or None, asked.graph)
        body = asked.model_copy(update={"graph_id": graph_id})
        if body.sweep is None:
            job = service.enqueue_training(session, body, submission.request_id)
            return Accepted.one_job(job, warn_of_ignored_settings(job.payload["config"]))
        jobs = enqueue_sweep(session, body, faults, submission.request_id)
        sweep_id = jobs[0].payload["sweep_id"]
        answer = SweepAcceptedOut(sweep_id=sweep_id, href=f"/sweeps/{sweep_id}")
        return Accepted.from_schema(answer, jobs)

    # Without an absent name: requests of an earlier release keep their fingerprint.
    absent = {"graph"} if asked.graph is None else set()
    answer = submission.submit(asked.model_dump(mode="json", exclude=absent), make)
    return JobAcceptedOut(**answer) if asked.sweep is None else SweepAcceptedOut(**answer)
