"""The active model: which requests a model answers by default, and why."""

from dataclasses import dataclass
from urllib.parse import urlencode

from sqlalchemy.orm import Session

from app.models import repository


@dataclass(frozen=True, slots=True)
class ActiveStatus:
    """Why a model is active, and the shortest request that it answers by default."""

    reason: str
    answers: str


def find_active_status(session: Session, model_id: str) -> ActiveStatus | None:
    """Return the status of an active model, None if the model is not active."""
    active = repository.find_active(session, model_id)
    if active is None:
        return None
    query = {}
    if not _answers(session, model_id, None, None):
        query["graph_id"] = active.graph_id
        if not _answers(session, model_id, active.graph_id, None):
            query["label"] = active.label
    parameters = f"?{urlencode(query)}" if query else ""
    return ActiveStatus(active.reason, f"GET /predict{parameters}")


def _answers(session: Session, model_id: str, graph_id: str | None, label: str | None) -> bool:
    return repository.list_active(session, graph_id, label)[0].model_id == model_id
