"""Checks a training request against its grid, fills in defaults and queues the job."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from sqlalchemy.orm import Session

from app.errors import TrainingRejected
from app.graphs.service import list_label_sets, load_grid
from app.grid.grid import LabelSet
from app.grid.hidden_columns import list_hidden_columns
from app.jobs.service import Origin, enqueue
from app.models.schemas import SplitIn
from app.storage.tables import JobRow
from app.train.config import parse_config, parse_network
from app.train.request import TrainingRequest
from app.train.schemas import TrainIn
from app.train.splits import list_fraction_faults, list_split_faults
from ml import DENSE_COPIES, AutoSettings, NetworkSettings, flatten_settings
from ml.errors import Fault

DEFAULT_LABEL = "role"
DEFAULT_FEATURES = ("Pd", "Qd", "Vm", "Va", "base_kv")
_MOST_DENSE_BUSES = 20_000


def enqueue_training(session: Session, body: TrainIn, request_id: str | None = None) -> JobRow:
    """Check a request and write its job; the caller commits and then dispatches it.

    Raises: GraphNotFound, TrainingRejected with every fault.
    """
    request = check_request(session, body)
    origin = Origin(request.graph_id, body.priority, request_id)
    return enqueue(session, "train", request.as_payload(), origin)


def check_request(
    session: Session, body: TrainIn, further: Iterable[Fault] = ()
) -> TrainingRequest:
    """Check a request and fill in its defaults; ``further`` faults are reported with the others.

    Raises: GraphNotFound, TrainingRejected.
    """
    grid = load_grid(session, body.graph_id)
    parse = parse_config if body.sweep is None else parse_network
    config, faults = parse(body.config)
    automatic = isinstance(config, AutoSettings)
    split = read_split(body, automatic=automatic)
    label_set, label_faults = _choose_labels(list_label_sets(session, body.graph_id), body.label)
    hidden = {} if label_set is None else list_hidden_columns(grid, label_set)
    features = _choose_features(grid.feature_names, body.features, hidden)
    faults.extend(further)
    faults.extend(label_faults)
    needs_features = isinstance(config, NetworkSettings)
    if isinstance(config, NetworkSettings):
        faults.extend(list_memory_faults(grid.bus_count, config))
    columns = (*grid.feature_names, *grid.bus_columns.names)
    faults.extend(_feature_faults(columns, features, hidden, required=needs_features))
    if not body.use_hidden:
        faults.extend(_hidden_faults(features, hidden))
    if label_set is None:
        faults.extend([] if split is None else list_fraction_faults(split))
    else:
        faults.extend(list_split_faults(grid, label_set, split, automatic=automatic))
    if faults or label_set is None:
        raise TrainingRejected("The training request is invalid; no job was queued.", faults)
    return TrainingRequest(body.graph_id, label_set.name, features, split, config, body.baselines)


def read_split(body: TrainIn, *, automatic: bool) -> SplitIn | None:
    """Return the requested split; None if all labels are used with cross-validation."""
    if body.split == "paper":
        return SplitIn(kind="random")
    if body.split is None:
        return None if automatic else SplitIn()
    return body.split


def list_memory_faults(bus_count: int, config: NetworkSettings) -> Iterator[Fault]:
    """Yield a fault if the dense operator does not fit into memory."""
    operator = flatten_settings(config)["operator"]
    if operator == "dense" and bus_count > _MOST_DENSE_BUSES:
        memory = 8 * DENSE_COPIES * bus_count**2 / 1e9
        yield Fault(
            "config.operator",
            f"dense needs {memory:,.0f} GB for {bus_count:,} buses; use auto instead",
        )


def _choose_labels(
    label_sets: Sequence[LabelSet], name: str | None
) -> tuple[LabelSet | None, list[Fault]]:
    by_name = {label_set.name: label_set for label_set in label_sets}
    if name is None:
        name = DEFAULT_LABEL if len(by_name) != 1 else next(iter(by_name))
    if name in by_name:
        return by_name[name], []
    available = ", ".join(map(repr, by_name)) or "none"
    return None, [Fault("label", f"the grid has no label set {name!r}; available: {available}")]


def _choose_features(
    columns: Sequence[str], requested: Sequence[str] | None, hidden: Collection[str]
) -> tuple[str, ...]:
    if requested is not None:
        return tuple(requested)
    shown = [name for name in columns if name not in hidden]
    defaults = tuple(name for name in DEFAULT_FEATURES if name in shown)
    return defaults or tuple(shown)


def _hidden_faults(chosen: Sequence[str], hidden: Mapping[str, str]) -> Iterator[Fault]:
    for name in dict.fromkeys(chosen):
        if name in hidden:
            yield Fault(
                "features",
                f"{name!r} gives the label away: {hidden[name]}; leave it out, or set `use_hidden`",
            )


def _feature_faults(
    columns: Sequence[str], chosen: Sequence[str], hidden: Collection[str], *, required: bool
) -> Iterator[Fault]:
    if required and not chosen:
        left = f" that the label does not hide ({', '.join(hidden)})" if hidden else ""
        yield Fault("features", f"the grid has no feature column{left}")
    counts = Counter(chosen)
    available = frozenset(columns)
    unknown = ", ".join(repr(name) for name in counts if name not in available)
    if unknown:
        yield Fault(
            "features", f"the grid has no column {unknown}; available: {', '.join(columns)}"
        )
    for name, count in counts.items():
        if count > 1 and name in available:
            yield Fault("features", f"{name!r} is given more than once")
