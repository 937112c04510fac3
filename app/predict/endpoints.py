"""GET /predict and /predict/{bus_id}."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response

from app.http.representation import Representation, RepresentationResponse
from app.http.responses import respond_columns
from app.predict import service
from app.predict.answers import encode
from app.predict.prepared import LONGEST_ID
from app.predict.schemas import PredictionColumnsOut, PredictionOut
from app.predict.service import ModelChoice
from app.storage.db import ReadingSession

router = APIRouter(prefix="/predict", tags=["predict"])


def _read_choice(
    graph_id: Annotated[
        str | None,
        Query(
            max_length=64,
            description="Grid of the bus. Default: the grid whose model was promoted last.",
        ),
    ] = None,
    model_id: Annotated[
        str | None,
        Query(max_length=64, description="Model that answers. Default: the active model."),
    ] = None,
    label: Annotated[
        str | None,
        Query(max_length=100, description="Label set. Default: that of the last promoted model."),
    ] = None,
) -> ModelChoice:
    return ModelChoice(graph_id, model_id, label)


ChoiceQuery = Annotated[ModelChoice, Depends(_read_choice)]


@router.get("", response_model=PredictionColumnsOut, summary="Predict all buses of a grid")
def predict_all(session: ReadingSession, choice: ChoiceQuery) -> Response:
    """Returns the predicted class and the class probabilities of every bus, as columns."""
    return respond_columns(service.predict_all(session, choice))


@router.head("/{bus_id:path}", include_in_schema=False)
@router.get("/{bus_id:path}", response_model=PredictionOut, summary="Predict one bus")
def predict_bus(
    bus_id: Annotated[str, Path(max_length=LONGEST_ID, description="Id or name of the bus.")],
    session: ReadingSession,
    choice: ChoiceQuery,
) -> Response:
    """Returns the predicted class of one bus and the probability of every class.

    The answer has an `ETag`; a request with `If-None-Match` gets 304 while it has not changed.
    Large answers are compressed for clients that accept gzip. Without `model_id`, an answer may
    be up to one second old when another process promotes a model or replaces labels.
    """
    answer = service.predict_bus(session, choice, bus_id)
    return RepresentationResponse(Representation.prepare(encode(answer)))
