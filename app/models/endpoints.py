"""GET /models, GET and DELETE /models/{id}, its card, and its promotion."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, status

from app.http.json_body import StrictJsonRoute
from app.models import service
from app.models.active import find_active_status
from app.models.card.schema import CardOut
from app.models.schemas import ModelDetailOut, ModelId, ModelOut, ModelPage, PromoteIn, read_reason
from app.storage.db import ReadingSession, WritingSession
from app.storage.graph_names import read_graph
from app.storage.paging import CursorQuery, LimitQuery

router = APIRouter(prefix="/models", tags=["models"], route_class=StrictJsonRoute)


@router.get("", summary="List models")
def list_models(
    session: ReadingSession,
    limit: LimitQuery,
    graph_id: Annotated[str | None, Depends(read_graph("Only models of this grid."))],
    cursor: CursorQuery = None,
    label: Annotated[
        str | None, Query(max_length=100, description="Only models of this label set.")
    ] = None,
) -> ModelPage:
    """Lists stored models, newest first, optionally of one grid or one label set."""
    rows, next_cursor = service.list_models(session, graph_id, label, limit, cursor)
    active = service.find_active_ids(session, rows)
    items = [ModelOut.from_row(row, active=row.id in active) for row in rows]
    return ModelPage(items=items, next_cursor=next_cursor)


@router.get(
    "/{model_id}",
    summary="Show a model with its metrics and settings",
    response_model_exclude_unset=True,
)
def get_model(model_id: ModelId, session: ReadingSession) -> ModelDetailOut:
    """Returns a model with its metrics, its settings and the data it was trained on."""
    row = service.get_model(session, model_id)
    return ModelDetailOut.from_model(row, find_active_status(session, model_id))


@router.get("/{model_id}/card", summary="Get the model card", response_model_exclude_unset=True)
def get_card(model_id: ModelId, session: ReadingSession) -> CardOut:
    """Returns the model card as JSON.

    The `headline` states whether a baseline (a simpler method trained on the same split) has a
    higher validation accuracy. The same card as a web page: `/models/{model_id}/card.html`.
    """
    return service.make_card(session, model_id)


@router.post(
    "/{model_id}/promote",
    summary="Let a model answer predictions by default",
    response_model_exclude_unset=True,
)
def promote_model(
    model_id: ModelId, session: WritingSession, body: PromoteIn | None = None
) -> ModelDetailOut:
    """Makes a model the active one of its grid and label, which answers `/predict` by default.

    The reason is stored and shown on the model card.
    """
    row = service.promote_model(session, model_id, read_reason(body))
    return ModelDetailOut.from_model(row, find_active_status(session, model_id))


@router.delete("/{model_id}", status_code=status.HTTP_204_NO_CONTENT, summary="Delete a model")
def delete_model(model_id: ModelId, session: WritingSession) -> None:
    """Deletes a model with its predictions and its stored baselines.

    Refused with 409 while the model is active, while a promoted baseline refers to it, or while
    a job is using it.
    """
    service.delete_model(session, model_id)
