"""Check a training request against its grid, fill in the defaults, queue the job."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from sqlalchemy.orm import Session

from app.errors import TrainingRejected
from app.graphs.service import load_grid
from app.grid.grid import LabelSet
from app.jobs.service import Origin, enqueue
from app.labels.service import list_label_sets
from app.storage.tables import JobRow
from app.train.config import parse_config
from app.train.request import TrainingRequest, draw_split
from app.train.schemas import SplitIn, TrainIn
from ml import UNLABELLED, NetworkSettings, check_fractions, flatten_settings
from ml.errors import Fault, InvalidSplit

DEFAULT_LABEL = "role"
DEFAULT_FEATURES = ("Pd", "Qd", "Vm", "Va", "base_kv")
_MOST_DENSE_BUSES = 20_000
_DENSE_BYTES = 4 * 8
"""Of every pair of buses: four full matrices of float64 are held at the same time."""


def enqueue_training(session: Session, body: TrainIn, request_id: str | None = None) -> JobRow:
    """Write the job of a sound request; the caller commits and then dispatches it.

    Raises: GraphNotFound, TrainingRejected naming every fault.
    """
    request = check_request(session, body)
    origin = Origin(request.graph_id, body.priority, request_id)
    return enqueue(session, "train", request.as_payload(), origin)


def check_request(
    session: Session, body: TrainIn, further: Iterable[Fault] = ()
) -> TrainingRequest:
    """Fill in what the request leaves open; ``further`` faults are told with those found here.

    Raises: GraphNotFound, TrainingRejected.
    """
    grid = load_grid(session, body.graph_id)
    config, faults = parse_config(body.config)
    label_set, label_faults = _choose_labels(list_label_sets(session, body.graph_id), body.label)
    features = _choose_features(grid.feature_names, body.features)
    faults.extend(further)
    faults.extend(label_faults)
    faults.extend(list_memory_faults(grid.bus_count, config))
    faults.extend(_feature_faults((*grid.feature_names, *grid.bus_columns.names), features))
    if label_set is None:
        faults.extend(_fraction_faults(body.split))
    else:
        faults.extend(_split_faults(label_set, body.split))
    if faults or label_set is None:
        raise TrainingRejected("The training request cannot be run.", faults)
    return TrainingRequest(
        body.graph_id, label_set.name, features, body.split, config, body.baselines
    )


def list_memory_faults(bus_count: int, config: NetworkSettings) -> Iterator[Fault]:
    """Yield what is wrong with an operator that cannot fit into memory."""
    operator = flatten_settings(config)["operator"]
    if operator == "dense" and bus_count > _MOST_DENSE_BUSES:
        memory = _DENSE_BYTES * bus_count**2 / 1e9
        yield Fault(
            "config.operator", f"dense needs {memory:,.0f} GB for {bus_count:,} buses; use auto"
        )


def _choose_labels(
    label_sets: Sequence[LabelSet], name: str | None
) -> tuple[LabelSet | None, list[Fault]]:
    by_name = {label_set.name: label_set for label_set in label_sets}
    if name is None:
        name = DEFAULT_LABEL if len(by_name) != 1 else next(iter(by_name))
    if name in by_name:
        return by_name[name], []
    known = ", ".join(repr(known) for known in by_name) or "none"
    return None, [Fault("label", f"the grid has no labels {name!r}; it has {known}")]


def _choose_features(columns: Sequence[str], asked: Sequence[str] | None) -> tuple[str, ...]:
    if asked is not None:
        return tuple(asked)
    usual = tuple(name for name in DEFAULT_FEATURES if name in columns)
    return usual or tuple(columns)


def _feature_faults(columns: Sequence[str], chosen: Sequence[str]) -> Iterator[Fault]:
    if not chosen:
        yield Fault("features", "the grid has no column to learn from")
    counts = Counter(chosen)
    known = frozenset(columns)
    unknown = ", ".join(repr(name) for name in counts if name not in known)
    if unknown:
        yield Fault("features", f"the grid has no column {unknown}; it has {', '.join(columns)}")
    for name, count in counts.items():
        if count > 1 and name in known:
            yield Fault("features", f"{name!r} is given more than once")


def _fraction_faults(wanted: SplitIn) -> list[Fault]:
    """Return what is wrong with a split whatever it divides."""
    try:
        check_fractions(wanted.fractions)
    except InvalidSplit as error:
        return [Fault(f"split.{fault.where}", fault.problem) for fault in error.faults]
    return []


def _split_faults(label_set: LabelSet, wanted: SplitIn) -> list[Fault]:
    labels = label_set.classes
    classes = np.unique(labels[labels != UNLABELLED])
    if len(classes) < 2:
        problem = f"{label_set.name!r} has {len(classes)} class(es); two are the least to learn"
        return [Fault("label", problem)]
    try:
        split = draw_split(labels, wanted)
    except InvalidSplit as error:
        return [Fault(f"split.{fault.where}", fault.problem) for fault in error.faults]
    empty = [part for part in ("validation", "test") if len(getattr(split, part)) == 0]
    count = int(np.count_nonzero(labels != UNLABELLED))
    problem = f"no bus is left to be the {{}} set: {count} labelled buses are too few"
    return [Fault("split", problem.format(part)) for part in empty]
