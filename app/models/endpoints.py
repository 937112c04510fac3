"""GET /models, GET and DELETE /models/{id}, its card and its promotion."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, status

from app.db import ReadingSession, WritingSession
from app.json_body import StrictJsonRoute
from app.models import service
from app.models.card_schema import CardOut
from app.models.schemas import ModelDetailOut, ModelOut, ModelPage, PromoteIn
from app.paging import CursorQuery, LimitQuery

router = APIRouter(prefix="/models", tags=["models"], route_class=StrictJsonRoute)

ModelId = Annotated[str, Path(max_length=64)]


@router.get("")
def list_models(
    session: ReadingSession,
    limit: LimitQuery,
    cursor: CursorQuery = None,
    graph_id: Annotated[str | None, Query(max_length=64)] = None,
    label: Annotated[str | None, Query(max_length=100)] = None,
) -> ModelPage:
    """List models, newest first."""
    rows, next_cursor = service.list_models(session, graph_id, label, limit, cursor)
    active = service.find_active_ids(session, rows)
    items = [ModelOut.from_row(row, active=row.id in active) for row in rows]
    return ModelPage(items=items, next_cursor=next_cursor)


@router.get("/{model_id}")
def get_model(model_id: ModelId, session: ReadingSession) -> ModelDetailOut:
    """Show a model: how good it is, what it was trained on and how."""
    row = service.get_model(session, model_id)
    return ModelDetailOut.from_model(row, service.find_promotion(session, model_id))


@router.get("/{model_id}/card")
def get_card(model_id: ModelId, session: ReadingSession) -> CardOut:
    """Show the model card; its first line says whether a simpler method does better.

    The same for reading is at `/models/{model_id}/card.html`.
    """
    return CardOut.model_validate(service.make_card(session, model_id))


@router.post("/{model_id}/promote")
def promote_model(model_id: ModelId, body: PromoteIn, session: WritingSession) -> ModelDetailOut:
    """Let a model answer for its grid and label from now on; the reason stays on its card."""
    row = service.promote_model(session, model_id, body.reason)
    return ModelDetailOut.from_model(row, service.find_promotion(session, model_id))


@router.delete("/{model_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_model(model_id: ModelId, session: WritingSession) -> None:
    """Delete a model with its predictions; not the active one."""
    service.delete_model(session, model_id)
