"""Stores label sets and suitability reports, and queues the jobs that compute them."""

import msgspec
import numpy as np
from sqlalchemy.orm import Session

from app.errors import LabelExists
from app.graphs.repository import make_label_row
from app.graphs.service import find_label_set, get_graph, get_label_set, load_grid
from app.grid.grid import LabelSet
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


def store_label_set(session: Session, graph_id: str, label_set: LabelSet) -> bool:
    """Store a label set; storing the same again changes nothing. Returns whether it is new.

    Raises: GraphNotFound, LabelExists if the grid has other labels of this name.
    """
    get_graph(session, graph_id)
    row = make_label_row(graph_id, label_set, current_time(session))
    if repository.insert_label(session, row):
        return True
    stored = get_label_set(session, graph_id, label_set.name)
    same = stored.class_names == label_set.class_names
    if not same or not np.array_equal(stored.classes, label_set.classes):
        raise LabelExists(f"Grid {graph_id!r} already has other labels named {label_set.name!r}.")
    return False


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
