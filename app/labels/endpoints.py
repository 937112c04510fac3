"""Endpoints of /graphs/{id}/labels: add, list, show, replace and delete label sets."""

import dataclasses
from typing import Annotated
from urllib.parse import quote

import msgspec
from fastapi import APIRouter, Path, Query, Request, Response, status
from fastapi.responses import JSONResponse
from sqlalchemy.orm import Session

from app.graphs import service as graphs
from app.grid.grid import Grid, LabelSet
from app.grid.hidden_columns import hide_named, list_hidden_columns
from app.http.responses import respond_columns
from app.jobs.dispatch import DispatcherDep
from app.jobs.schemas import JobAcceptedOut
from app.jobs.states import JobState
from app.jobs.submission import Accepted, Submission, SubmissionDep
from app.labels import service
from app.labels.body import LabelsAsked, LabelsBody, describe_body
from app.labels.catalogue import compute_label_set
from app.labels.contingencies import LONG_KINDS
from app.labels.files.placement import LabelFileReport, place_table
from app.labels.schemas import (
    LabelColumnsOut,
    LabelSetOut,
    LabelSetsOut,
    NewLabelSetOut,
    SuitabilityOut,
)
from app.labels.text_labels import TextLabelReport, label_by_text
from app.labels.uploaded import PlacementReport, place_labels
from app.storage.db import Database, DatabaseDep, ReadingSession, WritingSession
from app.storage.documents import AnswerDocument

router = APIRouter(prefix="/graphs/{graph_id}/labels", tags=["labels"])

GraphId = Annotated[str, Path(max_length=64)]
LabelName = Annotated[str, Path(max_length=100)]
ReplaceQuery = Annotated[
    bool, Query(description="Store other labels of an existing name as its next version.")
]


@router.get("", summary="List the label sets of a grid")
def list_label_sets(graph_id: GraphId, session: ReadingSession) -> LabelSetsOut:
    """List the label sets of a grid with the number of buses per class."""
    label_sets = graphs.list_label_sets(session, graph_id)
    grid = graphs.load_grid(session, graph_id)
    items = [
        LabelSetOut.from_label_set(label_set, list_hidden_columns(grid, label_set))
        for label_set in label_sets
    ]
    return LabelSetsOut(items=items)


@router.post(
    "",
    summary="Add a label set to a grid",
    status_code=status.HTTP_201_CREATED,
    responses={
        200: {"model": NewLabelSetOut, "description": "The grid already has these labels."},
        202: {
            "model": JobAcceptedOut,
            "description": "A job computes the labels; follow `Location`.",
        },
    },
    openapi_extra=describe_body(),
)
def create_label_set(
    graph_id: GraphId,
    asked: LabelsBody,
    response: Response,
    database: DatabaseDep,
    submission: SubmissionDep,
    replace: ReplaceQuery = False,
) -> NewLabelSetOut | JobAcceptedOut:
    """Add your own labels for some or all buses, a kind of the catalogue, or a column.

    The text columns of a grid are in its import report (`text_columns`): the operator, the
    country and so on. The report of the answer shows which spellings became one class.
    A file of labels (a form with `file`) names buses by id, name, alias or coordinates. If a row
    names no bus, several buses or a second class of a bus, nothing is stored and `errors` lists
    every such row by its line; `unknown=skip` and `ambiguous=skip` leave these rows out.
    `hides` of the answer names the columns that give the label away: models of this label are
    not trained on them.
    `n1_exposure` and `mw_lost` take minutes and are computed by a job (202).

    Other labels of the same name are refused with 409 unless `replace` is set: then the new ones
    become the next version. Earlier versions stay for the models that have learnt them.
    """
    accepted = _find_or_queue(database, submission, graph_id, asked.kind)
    if accepted is not None:
        return JobAcceptedOut(**accepted)
    with database.reading() as session:
        label_set, report = _make_label_set(session, graph_id, asked, replace=replace)
        grid = graphs.load_grid(session, graph_id)
    with database.writing() as session:
        label_set, is_new = service.store_label_set(session, graph_id, label_set, replaces=replace)
    response.headers["Location"] = f"/graphs/{graph_id}/labels/{quote(label_set.name)}"
    if not is_new:
        response.status_code = status.HTTP_200_OK
    hidden = list_hidden_columns(grid, label_set)
    counts = LabelSetOut.from_label_set(label_set, hidden).model_dump()
    return NewLabelSetOut(**counts, report=msgspec.to_builtins(report))


@router.get(
    "/{name}/suitability",
    summary="Report whether a label set is worth learning",
    response_model=SuitabilityOut,
    responses={
        202: {
            "model": JobAcceptedOut,
            "description": "A job measures the label set: wait for the job at `Location`, then "
            "ask again.",
        }
    },
)
def get_suitability(
    graph_id: GraphId,
    name: LabelName,
    request: Request,
    database: DatabaseDep,
    dispatcher: DispatcherDep,
) -> SuitabilityOut | Response:
    """Report what the features give away of a label and what the graph carries of it.

    The report is measured once per label set by a job: until it is stored, every request gets
    202 and the same job. After a job that failed or was cancelled, the next request starts
    another one.
    """
    with database.reading() as session:
        graphs.get_label_set(session, graph_id, name)
        report = service.find_suitability(session, graph_id, name)
    if report is not None:
        return SuitabilityOut(graph_id=graph_id, name=name, **msgspec.to_builtins(report))
    with database.writing() as session:
        request_id = getattr(request.state, "request_id", None)
        job, is_new = service.enqueue_suitability(session, graph_id, name, request_id)
    if is_new:
        dispatcher.dispatch(job)
    accepted = JobAcceptedOut(job_id=job.id, state=JobState(job.state), href=f"/jobs/{job.id}")
    headers = {"Location": accepted.href}
    return JSONResponse(accepted.model_dump(mode="json"), status.HTTP_202_ACCEPTED, headers)


@router.get("/{name}", summary="Get a label set", response_model=LabelColumnsOut)
def get_label_set(
    graph_id: GraphId,
    name: LabelName,
    session: ReadingSession,
    version: Annotated[
        int | None, Query(ge=1, le=10**9, description="An earlier version. Default: the newest.")
    ] = None,
) -> Response:
    """Return the class of every bus under one label set."""
    label_set = graphs.get_label_set(session, graph_id, name, version)
    return respond_columns(
        {
            "graph_id": graph_id,
            "name": label_set.name,
            "definition": label_set.definition,
            "source": label_set.source,
            "version": label_set.version,
            "class_names": label_set.class_names,
            "bus_ids": graphs.load_grid(session, graph_id).bus_ids,
            "classes": label_set.classes.tolist(),
        }
    )


@router.delete("/{name}", summary="Delete a label set", status_code=status.HTTP_204_NO_CONTENT)
def delete_label_set(
    graph_id: GraphId,
    name: LabelName,
    session: WritingSession,
    with_models: Annotated[
        bool, Query(description="Also delete the models that have learnt it, active ones too.")
    ] = False,
) -> None:
    """Delete a label set with all its versions and its suitability report.

    Refused with 409 while a queued or running job uses it, and if models have learnt it unless
    `with_models` is set.
    """
    service.delete_label_set(session, graph_id, name, with_models=with_models)


def _make_label_set(
    session: Session, graph_id: str, asked: LabelsAsked, *, replace: bool
) -> tuple[LabelSet, PlacementReport | TextLabelReport | LabelFileReport]:
    grid = graphs.load_grid(session, graph_id)
    if asked.text is not None:
        return label_by_text(grid, asked.text)
    if asked.kind is None:
        return _place_own(grid, asked)
    keeps = not replace or asked.kind in LONG_KINDS
    stored = graphs.find_label_set(session, graph_id, asked.kind) if keeps else None
    bus_types = graphs.find_label_set(session, graph_id, "bus_type")
    return stored or compute_label_set(grid, asked.kind, bus_types), PlacementReport()


def _place_own(
    grid: Grid, asked: LabelsAsked
) -> tuple[LabelSet, PlacementReport | LabelFileReport]:
    hides = hide_named(grid, asked.hides)
    report: PlacementReport | LabelFileReport
    if asked.file is None:
        label_set, report = place_labels(grid, asked.name, asked.pairs)
    else:
        label_set, report = place_table(grid, asked.name, asked.file.table, asked.file.choice)
    return dataclasses.replace(label_set, hides=hides), report


def _find_or_queue(
    database: Database, submission: Submission, graph_id: str, kind: str | None
) -> AnswerDocument | None:
    """Return the job that computes labels of this kind; None if no job is needed."""
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
