"""GET /models/{id}/compare."""

from typing import Annotated

from fastapi import APIRouter, Query

from app.models.comparison import pairing
from app.models.comparison.schema import ModelComparisonOut
from app.models.schemas import ModelId
from app.storage.db import ReadingSession

router = APIRouter(prefix="/models", tags=["models"])


@router.get("/{model_id}/compare", summary="Compare two models")
def compare_models(
    model_id: ModelId,
    session: ReadingSession,
    other_id: Annotated[
        str, Query(alias="with", max_length=64, description="Id of the second model.")
    ],
) -> ModelComparisonOut:
    """Compares two models of the same grid and label: settings, metrics and predicted classes.

    On the buses that are test buses of both models, an exact McNemar test states whether the
    difference in accuracy may be due to chance.
    """
    return pairing.compare_models(session, model_id, other_id)
