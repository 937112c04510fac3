"""GET /predict and /predict/{bus_id}."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response

from app.http.responses import respond_columns
from app.predict import service
from app.predict.schemas import PredictionColumnsOut, PredictionOut
from app.predict.service import Choice
from app.storage.db import ReadingSession

router = APIRouter(prefix="/predict", tags=["predict"])


def _read_choice(
    graph_id: Annotated[
        str | None,
        Query(max_length=64, description="Default: the grid whose model was promoted last."),
    ] = None,
    model_id: Annotated[
        str | None, Query(max_length=64, description="Default: the active.")
    ] = None,
    label: Annotated[str | None, Query(max_length=100)] = None,
) -> Choice:
    return Choice(graph_id, model_id, label)


ChoiceQuery = Annotated[Choice, Depends(_read_choice)]


@router.get("", response_model=PredictionColumnsOut)
def predict_all(session: ReadingSession, choice: ChoiceQuery) -> Response:
    """Send the class of every bus of a grid, as columns."""
    return respond_columns(service.predict_all(session, choice))


@router.get("/{bus_id:path}")
def predict_bus(
    bus_id: Annotated[str, Path(max_length=200, description="Its id or another name of it.")],
    session: ReadingSession,
    choice: ChoiceQuery,
) -> PredictionOut:
    """Tell the class of one bus and the probability of every class."""
    return PredictionOut(**service.predict_bus(session, choice, bus_id))
