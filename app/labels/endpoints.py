"""POST and GET /graphs/{id}/labels, /graphs/{id}/labels/{name} and its suitability."""

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Path, Response, status
from sqlalchemy.orm import Session

from app.graphs.service import get_graph, load_grid
from app.grid.grid import LabelSet
from app.http.responses import respond_columns
from app.jobs.schemas import JobAcceptedOut
from app.jobs.submission import Accepted, Submission, SubmissionDep
from app.labels import service
from app.labels.body import LabelsAsked, LabelsBody, describe_body
from app.labels.catalogue import compute_label_set
from app.labels.schemas import (
    LabelColumnsOut,
    LabelSetOut,
    LabelSetsOut,
    NewLabelSetOut,
    SuitabilityOut,
)
from app.labels.suitability import recall_suitability
from app.labels.uploaded import place_labels
from app.storage.db import Database, DatabaseDep, ReadingSession

router = APIRouter(prefix="/graphs/{graph_id}/labels", tags=["labels"])

GraphId = Annotated[str, Path(max_length=64)]


@router.get("")
def list_label_sets(graph_id: GraphId, session: ReadingSession) -> LabelSetsOut:
    """List the label sets of a grid with the size of every class."""
    label_sets = service.list_label_sets(session, graph_id)
    return LabelSetsOut(items=[LabelSetOut.from_label_set(each) for each in label_sets])


@router.post(
    "",
    status_code=status.HTTP_201_CREATED,
    responses={
        200: {"model": NewLabelSetOut, "description": "The grid already has these labels."},
        202: {"model": JobAcceptedOut, "description": "A job computes them; follow `Location`."},
    },
    openapi_extra=describe_body(),
)
def create_label_set(
    graph_id: GraphId,
    asked: LabelsBody,
    response: Response,
    database: DatabaseDep,
    submission: SubmissionDep,
) -> NewLabelSetOut | JobAcceptedOut:
    """Give a grid labels: your own for some or all buses, or a kind of the catalogue."""
    accepted = _find_or_queue(database, submission, graph_id, asked.kind)
    if accepted is not None:
        return JobAcceptedOut(**accepted)
    with database.reading() as session:
        label_set, report = _make_label_set(session, graph_id, asked)
    with database.writing() as session:
        is_new = service.store_label_set(session, graph_id, label_set)
    response.headers["Location"] = f"/graphs/{graph_id}/labels/{quote(label_set.name)}"
    if not is_new:
        response.status_code = status.HTTP_200_OK
    counts = LabelSetOut.from_label_set(label_set).model_dump()
    return NewLabelSetOut(**counts, report=report)


@router.get("/{name}/suitability")
def get_suitability(
    graph_id: GraphId, name: Annotated[str, Path(max_length=100)], database: DatabaseDep
) -> SuitabilityOut:
    """Say whether labels are worth learning: what gives them away, what the graph carries."""
    with database.reading() as session:
        label_set = service.get_label_set(session, graph_id, name)
        content_hash = get_graph(session, graph_id).content_hash
        grid = load_grid(session, graph_id)
    judged = recall_suitability(content_hash, grid, label_set)
    return SuitabilityOut(graph_id=graph_id, name=label_set.name, **judged)


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
            "source": label_set.source,
            "version": label_set.version,
            "class_names": label_set.class_names,
            "bus_ids": load_grid(session, graph_id).bus_ids,
            "classes": label_set.classes.tolist(),
        }
    )


def _make_label_set(
    session: Session, graph_id: str, asked: LabelsAsked
) -> tuple[LabelSet, dict[str, Any]]:
    grid = load_grid(session, graph_id)
    if asked.kind is None:
        own = place_labels(grid, asked.name, asked.pairs)
        return own.label_set, own.report()
    known = service.find_label_set(session, graph_id, asked.kind)
    return known or compute_label_set(grid, asked.kind), {}


def _find_or_queue(
    database: Database, submission: Submission, graph_id: str, kind: str | None
) -> dict[str, Any] | None:
    """Return where labels of this kind are being computed; None if no job has to."""
    if kind is None:
        return None
    earlier = submission.find_earlier(kind)
    if earlier is not None:
        return earlier
    with database.reading() as session:
        if not service.must_be_computed(session, graph_id, kind):
            return None

    def make(session: Session) -> Accepted:
        job = service.enqueue_labels(session, graph_id, kind, submission.request_id)
        return Accepted.one_job(job)

    return submission.submit(kind, make)
