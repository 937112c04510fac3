"""Where a model answers by default: for every request, for its grid, or for its label."""

from dataclasses import dataclass
from urllib.parse import urlencode

from sqlalchemy.orm import Session

from app.models import repository


@dataclass(frozen=True, slots=True)
class Standing:
    """Why a model is the active one, and the shortest request that it answers."""

    reason: str
    answers: str


def find_standing(session: Session, model_id: str) -> Standing | None:
    """Return the standing of an active model, None for any other."""
    promotion = repository.find_promotion(session, model_id)
    if promotion is None:
        return None
    query = {}
    if not _answers(session, model_id, None, None):
        query["graph_id"] = promotion.graph_id
        if not _answers(session, model_id, promotion.graph_id, None):
            query["label"] = promotion.label
    asked = f"?{urlencode(query)}" if query else ""
    return Standing(promotion.reason, f"GET /predict{asked}")


def _answers(session: Session, model_id: str, graph_id: str | None, label: str | None) -> bool:
    return repository.list_active(session, graph_id, label)[0].model_id == model_id
