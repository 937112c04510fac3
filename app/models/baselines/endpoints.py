"""POST /models/{id}/baselines/{key}/promote."""

from typing import Annotated

from fastapi import APIRouter, Path, Response, status

from app.http.json_body import StrictJsonRoute
from app.models.active import find_active_status
from app.models.baselines import promote as baselines
from app.models.schemas import ModelDetailOut, ModelId, PromoteIn, read_reason
from app.storage.db import WritingSession

router = APIRouter(prefix="/models", tags=["models"], route_class=StrictJsonRoute)


@router.post(
    "/{model_id}/baselines/{key}/promote",
    status_code=status.HTTP_201_CREATED,
    responses={200: {"model": ModelDetailOut, "description": "The baseline was promoted before."}},
    summary="Let a baseline answer instead of its model",
    response_model_exclude_unset=True,
)
def promote_baseline(
    model_id: ModelId,
    key: Annotated[
        str, Path(max_length=32, description="The `key` of a baseline on the model card.")
    ],
    session: WritingSession,
    response: Response,
    body: PromoteIn | None = None,
) -> ModelDetailOut:
    """Stores a baseline of a model as a separate model and makes it the active one.

    The stored baseline is used as it was measured for the model card; nothing is trained again.
    """
    row, is_new = baselines.promote_baseline(session, model_id, key, read_reason(body))
    response.headers["Location"] = f"/models/{row.id}"
    if not is_new:
        response.status_code = status.HTTP_200_OK
    return ModelDetailOut.from_model(row, find_active_status(session, row.id))
