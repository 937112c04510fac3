"""Queues replays of models and stores their results."""

from sqlalchemy.orm import Session

from app.jobs.service import Origin, enqueue
from app.models.service import get_model, lock_graph
from app.replays import repository
from app.storage.documents import JobPayload, JobResult, ReplayDocument
from app.storage.tables import JobRow

KIND = "replay"


def enqueue_replay(session: Session, model_id: str, request_id: str | None) -> JobRow:
    """Write the job of a replay, for workers that have the device of the training run.

    The caller commits and then dispatches it. Raises: ModelNotFound.
    """
    row = get_model(session, model_id)
    lock_graph(session, row.graph_id)
    device = row.manifest.get("config", {}).get("device")  # a baseline has none
    payload: JobPayload = {"model_id": model_id, "label": row.label, "config": {"device": device}}
    return enqueue(session, KIND, payload, Origin(row.graph_id, request_id=request_id))


def store_replay(session: Session, job: JobRow, result: ReplayDocument) -> JobResult:
    """Store the result of a replay with its model; return the result of the job."""
    model_id = job.payload["model_id"]
    repository.insert_replay(session, job.id, model_id, result)
    return {"model_id": model_id, "replay": result}
