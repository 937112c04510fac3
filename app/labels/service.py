"""Stores label sets and suitability reports, and queues the jobs that compute them."""

from dataclasses import replace

import msgspec
import numpy as np
from sqlalchemy.orm import Session

from app.errors import LabelExists, LabelInUse
from app.graphs.repository import lock_graph, make_label_row
from app.graphs.service import find_label_set, get_graph, get_label_set, load_grid
from app.grid.grid import LabelSet
from app.grid.listing import join_first
from app.jobs.service import Origin, enqueue, get_job
from app.jobs.states import ENDED
from app.labels import repository
from app.labels.contingencies import LONG_KINDS, N1_EXPOSURE, check_demand, make_outage_case
from app.labels.suitability import Suitability
from app.storage.db import current_time
from app.storage.documents import JobPayload
from app.storage.tables import JobRow, SuitabilityRow

SUITABILITY = "suitability"
"""The kind of the jobs that measure label sets."""


def store_label_set(
    session: Session, graph_id: str, label_set: LabelSet, *, replaces: bool = False
) -> tuple[LabelSet, bool]:
    """Store a label set; storing the same again changes nothing.

    With ``replaces`` it becomes the next version of the label set of this name, if there is one;
    the earlier version is kept for the models that learnt it.
    Returns the stored label set and whether it is new.
    Raises: GraphNotFound; LabelExists if the grid has other labels of this name; LabelInUse.
    """
    get_graph(session, graph_id)
    if replaces:
        lock_graph(session, graph_id)
    moment = current_time(session)
    if repository.insert_label(session, make_label_row(graph_id, label_set, moment)):
        return label_set, True
    stored = get_label_set(session, graph_id, label_set.name)
    same = stored.class_names == label_set.class_names
    if label_set.source == "user":
        same = same and dict(stored.hides) == dict(label_set.hides)
    if same and np.array_equal(stored.classes, label_set.classes):
        return stored, False
    if not replaces:
        raise LabelExists(
            f"Grid {graph_id!r} already has other labels named {label_set.name!r}; "
            "add ?replace=true to store these as their next version."
        )
    _lock_unused(session, graph_id, label_set.name)
    new = replace(label_set, version=stored.version + 1)
    repository.replace_label(session, make_label_row(graph_id, new, moment))
    return new, True


def delete_label_set(
    session: Session, graph_id: str, name: str, *, with_models: bool = False
) -> None:
    """Delete a label set with all its versions and its suitability report.

    Raises: GraphNotFound, LabelNotFound; LabelInUse while an unfinished job uses it, or models
        have learnt it that are not deleted with it.
    """
    get_label_set(session, graph_id, name)
    _lock_unused(session, graph_id, name)
    models = repository.list_models(session, graph_id, name)
    if models and not with_models:
        raise LabelInUse(
            f"{len(models)} model(s) have learnt the label set {name!r}; add ?with_models=true to "
            f"delete them as well: {join_first(models)}."
        )
    repository.delete_label(session, graph_id, name)


def _lock_unused(session: Session, graph_id: str, name: str) -> None:
    """Lock a grid against new jobs. Raises: LabelInUse if a job uses the label set."""
    lock_graph(session, graph_id)
    jobs = repository.list_unfinished_jobs(session, graph_id, name)
    if jobs:
        raise LabelInUse(
            f"{len(jobs)} unfinished job(s) use the label set {name!r}; wait for them or cancel "
            f"them: {join_first(jobs)}."
        )


def must_be_computed(session: Session, graph_id: str, kind: str | None) -> bool:
    """Tell whether a kind of labels takes a job; checks that the grid has the needed columns.

    Raises: GraphNotFound, LabelsRejected.
    """
    if kind not in LONG_KINDS or find_label_set(session, graph_id, kind) is not None:
        return False
    grid = load_grid(session, graph_id)
    if kind == N1_EXPOSURE:
        make_outage_case(grid, find_label_set(session, graph_id, "bus_type"))
    else:
        check_demand(grid)
    return True


def enqueue_labels(
    session: Session, graph_id: str, kind: str, request_id: str | None = None
) -> JobRow:
    """Write the job that computes a label set; the caller commits and then dispatches it."""
    payload: JobPayload = {"graph_id": graph_id, "kind": kind}
    return enqueue(session, "labels", payload, Origin(graph_id, request_id=request_id))


def find_suitability(session: Session, graph_id: str, name: str) -> Suitability | None:
    """Return the stored suitability report of a label set, if it was measured."""
    row = repository.find_suitability(session, graph_id, name)
    return None if row is None or row.report is None else msgspec.convert(row.report, Suitability)


def enqueue_suitability(
    session: Session, graph_id: str, name: str, request_id: str | None = None
) -> tuple[JobRow, bool]:
    """Return the job that measures a label set, and whether this call has written it.

    There is at most one unfinished job per label set; the caller commits and dispatches a new
    one. Raises: GraphNotFound, LabelNotFound.
    """
    row = _lock_suitability(session, graph_id, name)
    job = None if row.job_id is None else get_job(session, row.job_id)
    if job is not None and job.state not in ENDED:
        return job, False
    payload: JobPayload = {"graph_id": graph_id, "label": name}
    job = enqueue(session, SUITABILITY, payload, Origin(graph_id, request_id=request_id))
    row.job_id = job.id
    return job, True


def store_suitability(session: Session, graph_id: str, name: str, report: Suitability) -> None:
    """Store the suitability report of a label set. Raises: GraphNotFound, LabelNotFound."""
    _lock_suitability(session, graph_id, name).report = msgspec.to_builtins(report)


def _lock_suitability(session: Session, graph_id: str, name: str) -> SuitabilityRow:
    """Return the row of a report, made if absent; others wait until the transaction ends."""
    if not repository.lock_label(session, graph_id, name):
        get_label_set(session, graph_id, name)
    row = repository.find_suitability(session, graph_id, name)
    if row is None:
        moment = current_time(session)
        row = SuitabilityRow(graph_id=graph_id, label=name, created_at=moment)
        repository.insert_suitability(session, row)
    return row
