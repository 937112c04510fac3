"""Endpoint of /graphs/{id}/export/{format}: a grid as a file."""

import re
from typing import Annotated, Literal

import msgspec
from fastapi import APIRouter, Path, Query, Response
from sqlalchemy.orm import Session

from app.errors import ModelNotFound
from app.export.json_writers import write_geojson, write_topology
from app.export.pandapower_writer import write_pandapower
from app.export.sheet import Exported, lay_out_branches, lay_out_buses
from app.export.text_writers import write_csv, write_graphml
from app.graphs.service import get_label_set, list_label_sets, load_grid
from app.models import service as models
from app.models.predictions import Predictions
from app.storage.db import ReadingSession

router = APIRouter(prefix="/graphs/{graph_id}/export", tags=["graphs"])

ExportFormat = Literal["json", "csv", "csv-buses", "graphml", "geojson", "pandapower"]
_MEDIA_TYPES = {
    "json": ("application/json", "json"),
    "csv": ("text/csv; charset=utf-8", "branches.csv"),
    "csv-buses": ("text/csv; charset=utf-8", "buses.csv"),
    "graphml": ("application/graphml+xml", "graphml"),
    "geojson": ("application/geo+json", "geojson"),
    "pandapower": ("application/json", "pandapower.json"),
}
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@router.get("/{form}", summary="Export a grid as a file", response_class=Response)
def export_graph(
    graph_id: Annotated[str, Path(max_length=64)],
    form: Annotated[
        ExportFormat, Path(description="`csv` writes the branches, `csv-buses` the buses.")
    ],
    session: ReadingSession,
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
    """Export a grid as a file, with the predictions of a model if the format has room for them."""
    grid = load_grid(session, graph_id)
    predictions = _find_predictions(session, graph_id, model_id)
    exported = Exported(grid, list_label_sets(session, graph_id), predictions)
    chosen = get_label_set(session, graph_id, label) if label is not None else None
    content: bytes | str
    match form:
        case "csv":
            content = write_csv(lay_out_branches(exported))
        case "csv-buses":
            content = write_csv(lay_out_buses(exported))
        case "graphml":
            content = write_graphml(exported)
        case "geojson":
            content = msgspec.json.encode(write_geojson(exported))
        case "pandapower":
            content = msgspec.json.encode(write_pandapower(exported))
        case _:
            content = msgspec.json.encode(write_topology(exported, chosen))
    media_type, ending = _MEDIA_TYPES[form]
    name = f"{_UNSAFE.sub('-', grid.name).strip('-.')[:60] or 'grid'}.{ending}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=media_type, headers=headers)


def _find_predictions(session: Session, graph_id: str, model_id: str | None) -> Predictions | None:
    if model_id is None:
        active = models.list_active(session, graph_id)
        return models.load_predictions(session, active[0].model_id) if active else None
    if models.get_model(session, model_id).graph_id != graph_id:
        raise ModelNotFound(f"Grid {graph_id!r} has no model {model_id!r}.")
    return models.load_predictions(session, model_id)
