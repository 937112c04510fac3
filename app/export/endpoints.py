"""Endpoint of /graphs/{id}/export/{format}: a grid as a file."""

import re
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from fastapi import APIRouter, Path, Query, Response
from sqlalchemy.orm import Session

from app.errors import ModelNotFound, TooManyExports
from app.export.graphml_writer import write_graphml
from app.export.json_writers import write_geojson, write_topology
from app.export.pandapower_writer import write_pandapower
from app.export.sheet import Exported, lay_out_branches, lay_out_buses
from app.graphs.service import get_label_set, list_label_sets, load_grid
from app.http.admission import AdmissionLimit
from app.http.csv_text import stream_csv
from app.http.spooled import SpooledResponse, spool
from app.models import service as models
from app.models.predictions import Predictions
from app.storage.db import DatabaseDep

router = APIRouter(prefix="/graphs/{graph_id}/export", tags=["graphs"])

ExportFormat = Literal["json", "csv", "csv-buses", "graphml", "geojson", "pandapower"]


class _Writer(NamedTuple):
    media_type: str
    ending: str
    write: Callable[[Exported], Iterable[bytes]]


_WRITERS: dict[ExportFormat, _Writer] = {
    "json": _Writer("application/json", "json", write_topology),
    "csv": _Writer(
        "text/csv; charset=utf-8", "branches.csv", lambda grid: stream_csv(lay_out_branches(grid))
    ),
    "csv-buses": _Writer(
        "text/csv; charset=utf-8", "buses.csv", lambda grid: stream_csv(lay_out_buses(grid))
    ),
    "graphml": _Writer("application/graphml+xml", "graphml", write_graphml),
    "geojson": _Writer("application/geo+json", "geojson", write_geojson),
    "pandapower": _Writer(
        "application/json",
        "pandapower.json",
        lambda grid: [msgspec.json.encode(write_pandapower(grid))],
    ),
}
_admission = AdmissionLimit(concurrent=2, admitted=8)
"""Exports are written by two threads at most: more would only delay other requests."""
_EXAMPLE_BUSES = """\
id,Pd,role,predicted,probability,probability of load,probability of idle,known_label,answer,source
1,51.0,load,load,0.734112,0.734112,0.265888,load,load,known
2,0.0,,idle,0.881356,0.118644,0.881356,,idle,predicted
"""
_EXAMPLE_POINT = {
    "type": "Feature",
    "geometry": {"type": "Point", "coordinates": [7.1, 51.4]},
    "properties": {
        "id": "1",
        "Pd": 51.0,
        "role": "load",
        "predicted": "load",
        "probability": 0.734112,
        "probability of load": 0.734112,
        "probability of idle": 0.265888,
        "known_label": "load",
        "answer": "load",
        "source": "known",
    },
}
_EXAMPLE_TOPOLOGY = {
    "name": "case118",
    "buses": [{"id": "1", "features": {"Pd": 51.0, "Qd": 27.0}, "label": "load"}],
    "branches": [{"from": "1", "to": "2", "weight": 1.0, "kind": "line"}],
}
_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file; its media type depends on the format.",
        "content": {
            "text/csv": {"example": _EXAMPLE_BUSES},
            "application/geo+json": {
                "example": {"type": "FeatureCollection", "features": [_EXAMPLE_POINT]}
            },
            "application/graphml+xml": {},
            "application/json": {
                "schema": {"type": "object", "examples": [_EXAMPLE_TOPOLOGY]},
            },
        },
    }
}
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@router.get(
    "/{form}",
    summary="Export a grid as a file",
    response_class=Response,
    responses=_RESPONSES,
)
def export_graph(
    graph_id: Annotated[str, Path(max_length=64)],
    form: Annotated[
        ExportFormat, Path(description="`csv` writes the branches, `csv-buses` the buses.")
    ],
    database: DatabaseDep,
    model_id: Annotated[
        str | None,
        Query(
            max_length=64,
            description="Model whose predictions are added; default: the active model.",
        ),
    ] = None,
    label: Annotated[
        str | None,
        Query(
            max_length=100, description="Label set written as `label` of the buses; `json` only."
        ),
    ] = None,
) -> Response:
    """Export a grid as a file, with the answers of a model if the format has room for them.

    Every format but `json` and `csv` (the branches) has these columns per bus: `predicted`,
    `probability` and `probability of <class>` are the model's own (out of fold where the label
    was used for training with `auto`); `known_label` is the label in the label set, `answer` the
    known label if there is one and else the predicted class, and `source` is accordingly `known`
    or `predicted`. A name that the grid already uses gets the addition ` of the model`. Two
    exports are written at the same time and six wait; a further one is answered with 429.
    """
    writer = _WRITERS[form]
    refusal = TooManyExports("Too many exports are being written; try again in a moment.")
    with _admission.admit(refusal):
        with database.reading() as session:
            exported = _collect(session, graph_id, model_id, label)
        file = spool(writer.write(exported))
    name = f"{_UNSAFE.sub('-', exported.grid.name).strip('-.')[:60] or 'grid'}.{writer.ending}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return SpooledResponse(file, media_type=writer.media_type, headers=headers)


def _collect(session: Session, graph_id: str, model_id: str | None, label: str | None) -> Exported:
    grid = load_grid(session, graph_id)
    predictions = _find_predictions(session, graph_id, model_id)
    label_sets = list_label_sets(session, graph_id)
    chosen = None if label is None else get_label_set(session, graph_id, label)
    return Exported(grid, label_sets, predictions, chosen)


def _find_predictions(session: Session, graph_id: str, model_id: str | None) -> Predictions | None:
    if model_id is None:
        active = models.list_active(session, graph_id)
        return models.load_predictions(session, active[0].model_id) if active else None
    if models.get_model(session, model_id).graph_id != graph_id:
        raise ModelNotFound(f"Grid {graph_id!r} has no model {model_id!r}.")
    return models.load_predictions(session, model_id)
