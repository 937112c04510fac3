"""GET /graphs/{id}/labels and /graphs/{id}/labels/{name}."""

from typing import Annotated

from fastapi import APIRouter, Path, Response

from app.columns_response import respond_columns
from app.db import ReadingSession
from app.graphs.service import load_grid
from app.labels import service
from app.labels.schemas import LabelColumnsOut, LabelSetOut, LabelSetsOut

router = APIRouter(prefix="/graphs/{graph_id}/labels", tags=["labels"])

GraphId = Annotated[str, Path(max_length=64)]


@router.get("")
def list_label_sets(graph_id: GraphId, session: ReadingSession) -> LabelSetsOut:
    """List the label sets of a grid with the size of every class."""
    label_sets = service.list_label_sets(session, graph_id)
    return LabelSetsOut(items=[LabelSetOut.from_label_set(each) for each in label_sets])


@router.get("/{name}", response_model=LabelColumnsOut)
def get_label_set(
    graph_id: GraphId, name: Annotated[str, Path(max_length=100)], session: ReadingSession
) -> Response:
    """Send the class of every bus."""
    label_set = service.get_label_set(session, graph_id, name)
    return respond_columns(
        {
            "graph_id": graph_id,
            "name": label_set.name,
            "definition": label_set.definition,
            "class_names": label_set.class_names,
            "bus_ids": load_grid(session, graph_id).bus_ids,
            "classes": label_set.classes.tolist(),
        }
    )
