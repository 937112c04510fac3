"""Which label sets a grid has and what they say."""

import numpy as np
from sqlalchemy.orm import Session

from app.errors import LabelNotFound
from app.graphs.service import get_graph
from app.ingest.grid import LabelSet
from app.labels import repository
from app.tables import LabelRow


def get_label_set(session: Session, graph_id: str, name: str) -> LabelSet:
    """Return one label set of a grid. Raises: GraphNotFound, LabelNotFound."""
    row = repository.find_label(session, graph_id, name)
    if row is not None:
        return _unpack(row)
    known = [label_set.name for label_set in list_label_sets(session, graph_id)]
    choice = f"it has {', '.join(map(repr, known))}" if known else "it has none"
    raise LabelNotFound(f"Grid {graph_id!r} has no labels {name!r}; {choice}.")


def list_label_sets(session: Session, graph_id: str) -> list[LabelSet]:
    """Return all label sets of a grid, by name. Raises: GraphNotFound."""
    get_graph(session, graph_id)
    return [_unpack(row) for row in repository.list_labels(session, graph_id)]


def _unpack(row: LabelRow) -> LabelSet:
    return LabelSet(
        name=row.name,
        class_names=tuple(row.class_names),
        classes=np.frombuffer(row.classes, "<i4").astype(np.int64),
        definition=row.definition,
    )
