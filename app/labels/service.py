"""Which label sets a grid has and what they say."""

import numpy as np
from sqlalchemy.orm import Session

from app.errors import LabelExists, LabelNotFound
from app.graphs.packing import make_label_row, read_label_row
from app.graphs.service import get_graph, load_grid
from app.grid.grid import LabelSet
from app.jobs.service import Origin, enqueue
from app.labels import repository
from app.labels.contingencies import LONG_KINDS, N1_EXPOSURE, check_demand, make_power_case
from app.storage.db import current_time
from app.storage.tables import JobRow


def get_label_set(session: Session, graph_id: str, name: str) -> LabelSet:
    """Return one label set of a grid. Raises: GraphNotFound, LabelNotFound."""
    found = find_label_set(session, graph_id, name)
    if found is not None:
        return found
    known = [label_set.name for label_set in list_label_sets(session, graph_id)]
    choice = f"it has {', '.join(map(repr, known))}" if known else "it has none"
    raise LabelNotFound(f"Grid {graph_id!r} has no labels {name!r}; {choice}.")


def find_label_set(session: Session, graph_id: str, name: str) -> LabelSet | None:
    """Return one label set of a grid if there is one."""
    row = repository.find_label(session, graph_id, name)
    return None if row is None else read_label_row(row)


def list_label_sets(session: Session, graph_id: str) -> list[LabelSet]:
    """Return all label sets of a grid, by name. Raises: GraphNotFound."""
    get_graph(session, graph_id)
    return [read_label_row(row) for row in repository.list_labels(session, graph_id)]


def store_label_set(session: Session, graph_id: str, label_set: LabelSet) -> bool:
    """Store a label set; the same again is no change. Returns whether it is new.

    Raises: GraphNotFound, LabelExists if the grid has other labels of this name.
    """
    get_graph(session, graph_id)
    row = make_label_row(graph_id, label_set, current_time(session))
    if repository.insert_label(session, row):
        return True
    known = get_label_set(session, graph_id, label_set.name)
    same = known.class_names == label_set.class_names
    if not same or not np.array_equal(known.classes, label_set.classes):
        raise LabelExists(f"Grid {graph_id!r} has other labels {label_set.name!r}.")
    return False


def must_be_computed(session: Session, graph_id: str, kind: str | None) -> bool:
    """Say whether a kind takes a job; checked here whether the grid has what it needs.

    Raises: GraphNotFound, LabelsRejected.
    """
    if kind not in LONG_KINDS or find_label_set(session, graph_id, kind) is not None:
        return False
    grid = load_grid(session, graph_id)
    if kind == N1_EXPOSURE:
        make_power_case(grid, find_label_set(session, graph_id, "bus_type"))
    else:
        check_demand(grid)
    return True


def enqueue_labels(
    session: Session, graph_id: str, kind: str, request_id: str | None = None
) -> JobRow:
    """Write the job that computes a label set; the caller commits and then dispatches it."""
    payload = {"graph_id": graph_id, "kind": kind}
    return enqueue(session, "labels", payload, Origin(graph_id, request_id=request_id))
