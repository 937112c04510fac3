"""GET and POST /predict, GET /predict/{bus_id}."""

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Path, Query, Response
from fastapi.responses import StreamingResponse

from app.http.json_body import StrictJsonRoute
from app.http.representation import (
    Representation,
    RepresentationResponse,
    accepts_gzip,
    compress,
)
from app.models.predictions import Source
from app.predict import service
from app.predict.answers import ChosenModel, encode
from app.predict.bus_filter import BusFilter, Order
from app.predict.forms import MEDIA_TYPES, Form, choose_form, write
from app.predict.schemas import (
    LONGEST_ID,
    PredictionColumnsOut,
    PredictionOut,
    PredictionRowsOut,
    PredictListIn,
)
from app.predict.service import ModelChoice
from app.storage.db import ReadingSession
from app.storage.graph_names import read_graph, resolve_graph
from ml import DEFAULT_COVERAGE, HIGHEST_COVERAGE, LOWEST_COVERAGE
from ml.arrays import IntArray

router = APIRouter(prefix="/predict", tags=["predict"], route_class=StrictJsonRoute)

_GRID = "Grid of the bus. Default: the grid whose model was promoted last."


def _read_model_choice(
    graph_id: Annotated[str | None, Depends(read_graph(_GRID))],
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


ModelQuery = Annotated[ModelChoice, Depends(_read_model_choice)]
"""The model that answers, for answers without prediction sets."""


def _read_choice(
    choice: ModelQuery,
    coverage: Annotated[
        float,
        Query(
            ge=LOWEST_COVERAGE,
            le=HIGHEST_COVERAGE,
            allow_inf_nan=False,
            description="Fraction of buses whose prediction set contains the true class.",
        ),
    ] = DEFAULT_COVERAGE,
) -> ModelChoice:
    return replace(choice, coverage=coverage)


ChoiceQuery = Annotated[ModelChoice, Depends(_read_choice)]
EncodingHeader = Annotated[str, Header(include_in_schema=False)]


def _read_filter(
    classes: Annotated[
        list[Annotated[str, Query(max_length=200)]] | None,
        Query(
            alias="class",
            max_length=1000,
            description="Only buses of this predicted class; may be repeated.",
        ),
    ] = None,
    source: Annotated[
        Source | None, Query(description="Only buses with, or without, a known label.")
    ] = None,
    order: Annotated[
        Order,
        Query(
            description="`bus`: the order of the grid. `least-certain`: buses whose highest "
            "probability is lowest first."
        ),
    ] = "bus",
    limit: Annotated[int | None, Query(ge=1, description="Maximum number of buses.")] = None,
    abstain: Annotated[
        bool | None,
        Query(description="Only buses without, or with, a decisive answer."),
    ] = None,
) -> BusFilter:
    return BusFilter(tuple(classes or ()), source, order, limit, abstain)


@router.get(
    "",
    response_model=PredictionColumnsOut | PredictionRowsOut,
    responses={
        200: {
            "content": {
                "text/csv": {"schema": {"type": "string"}},
                "application/geo+json": {"schema": {"type": "object"}},
            }
        }
    },
    summary="Predict all buses of a grid",
)
def predict_all(
    session: ReadingSession,
    choice: ChoiceQuery,
    bus_filter: Annotated[BusFilter, Depends(_read_filter)],
    form: Annotated[
        Form | None,
        Query(description="Form of the answer. Default: by the header `Accept`, else columns."),
    ] = None,
    accept: Annotated[str, Header(include_in_schema=False)] = "",
    accept_encoding: EncodingHeader = "",
) -> Response:
    """Returns the predicted class and the class probabilities of every bus.

    `columns` has one list per property; `rows` one object per bus with class names, as
    `GET /predict/{bus_id}`; `csv` (`Accept: text/csv`) one line per bus; `geojson`
    (`Accept: application/geo+json`) one point per bus, without a geometry if the grid has no
    places on a map (`coordinate_system` says if they are approximate). CSV and GeoJSON have one
    column per class: `probability of <class>`.
    The filters apply to every form.
    """
    model = service.choose_model(session, choice)
    chosen = form or choose_form(accept)
    return _stream(chosen, model, bus_filter.apply(model), accept_encoding)


@router.post("", response_model=PredictionRowsOut, summary="Predict a list of buses")
def predict_list(
    body: PredictListIn, session: ReadingSession, accept_encoding: EncodingHeader = ""
) -> Response:
    """Returns the predictions for some buses as rows, in the order of the request.

    Answers 422 naming every bus that the grid does not have.
    """
    graph_id = resolve_graph(session, body.graph_id, body.graph)
    choice = ModelChoice(graph_id, body.model_id, body.label, body.coverage)
    model = service.choose_model(session, choice)
    return _stream("rows", model, service.find_buses(model, body.bus_ids), accept_encoding)


def _stream(form: Form, model: ChosenModel, buses: IntArray, encodings: str) -> Response:
    headers = {"Vary": "Accept, Accept-Encoding"}
    pieces = write(form, model, buses)
    if accepts_gzip(encodings.encode("latin-1", "replace")):
        headers["Content-Encoding"] = "gzip"
        pieces = compress(pieces)
    if form in ("csv", "geojson"):
        headers["Content-Disposition"] = f'attachment; filename="predictions.{form}"'
    kind = MEDIA_TYPES[form]
    media_type = f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
    return StreamingResponse(pieces, media_type=media_type, headers=headers)


@router.head("/{bus_id:path}", include_in_schema=False)
@router.get("/{bus_id:path}", response_model=PredictionOut, summary="Predict one bus")
def predict_bus(
    bus_id: Annotated[str, Path(max_length=LONGEST_ID, description="Id or name of the bus.")],
    session: ReadingSession,
    choice: ChoiceQuery,
) -> Response:
    """Returns the predicted class of one bus, its probabilities and how sure they are.

    `prediction_set` are the classes that the bus may have at the stated coverage; `abstain` is
    true if the set does not decide. `quality` and `reasons` describe what the answer rests on.

    The answer has an `ETag`; a request with `If-None-Match` gets 304 while it has not changed.
    Large answers are compressed for clients that accept gzip. Without `model_id`, an answer may
    be up to one second old when another process promotes a model or replaces labels.
    """
    answer = service.predict_bus(session, choice, bus_id)
    return RepresentationResponse(Representation.prepare(encode(answer)))
