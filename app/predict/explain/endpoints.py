"""GET /predict/{bus_id}/explain."""

from typing import Annotated, Literal

import msgspec
from fastapi import APIRouter, Header, Path, Query, Response

from app.predict.endpoints import ModelQuery
from app.predict.explain.schemas import ExplanationOut
from app.predict.explain.service import explain_bus
from app.predict.forms import MEDIA_TYPES, choose_form
from app.predict.schemas import LONGEST_ID
from app.storage.db import ReadingSession

router = APIRouter(prefix="/predict", tags=["predict"])

_MOST_LISTED = 1000


@router.get(
    "/{bus_id:path}/explain",
    response_model=ExplanationOut,
    responses={200: {"content": {"application/geo+json": {"schema": {"type": "object"}}}}},
    summary="Explain the prediction for one bus",
)
def explain(
    bus_id: Annotated[str, Path(max_length=LONGEST_ID, description="Id or name of the bus.")],
    session: ReadingSession,
    choice: ModelQuery,
    top: Annotated[
        int,
        Query(ge=1, le=_MOST_LISTED, description="Contributions listed per part of the model."),
    ] = 10,
    form: Annotated[
        Literal["json", "geojson"] | None,
        Query(description="Form of the answer. Default: by the header `Accept`, else JSON."),
    ] = None,
    accept: Annotated[str, Header(include_in_schema=False)] = "",
) -> Response:
    """Returns what each known label, bus or column contributes to the prediction.

    For label propagation these are the known labels, for LFGCN all buses through its filter, for
    forests and logistic regression the columns, for nearest neighbours their votes; the
    contributions sum to `scores`. Other networks cannot be explained exactly: their nearest known
    labels are listed. `geojson` (`Accept: application/geo+json`) has one point per contributing
    bus. Two explanations are computed at the same time and six wait; a further one is answered
    with 429.
    """
    explained = explain_bus(session, choice, bus_id)
    is_overlay = form == "geojson" or (form is None and choose_form(accept) == "geojson")
    body = explained.overlay(top) if is_overlay else explained.describe(top)
    kind = MEDIA_TYPES["geojson"] if is_overlay else "application/json"
    return Response(msgspec.json.encode(body), media_type=kind, headers={"Vary": "Accept"})
