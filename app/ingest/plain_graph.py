"""Nodes and edges with attributes (CSV, GraphML, node-link JSON) -> the neutral grid."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from msgspec import UNSET

from app.errors import GridRejected
from app.ingest.exchange import Request
from app.ingest.graph_body import BranchIn, BusIn, GraphIn
from app.ingest.grid import Columns, LabelSet, ReadGrid
from app.ingest.power_labels import natural_order, position_in
from app.ingest.texts import find_text_problem
from app.ingest.topology import GridLimits, read_topology
from ml.errors import Fault

Scalar: TypeAlias = str | float | None
LABEL_COLUMNS = ("label", "role", "area", "zone", "bus_type")
"""Columns of buses that are classes, whatever they are written as."""
_KEPT = frozenset((*LABEL_COLUMNS, "lat", "lon", "name"))
"""Columns of buses with a meaning of their own, which are no features."""
_MOST_CLASSES = 1000
_TOPOLOGY_PLACE = re.compile(r"(buses|branches)\[(\d+)\](?:\.(\w+))?.*")
_FIELDS = {"from": "source", "to": "target"}


@dataclass(frozen=True, eq=False, kw_only=True)
class PlainGraph:
    """A graph as general formats have it: names, and attributes that may mean anything."""

    source: str
    bus_ids: Sequence[str]
    bus_attributes: Sequence[Mapping[str, Scalar]]
    ends: Sequence[tuple[str, str]]
    branch_attributes: Sequence[Mapping[str, Scalar]]
    notes: Sequence[str] = field(default_factory=tuple)
    bus_place: str = "node {}"
    """What a bus is called in the file, by its number from 1; the same for a branch."""
    branch_place: str = "edge {}"


def build_plain_grid(plain: PlainGraph, request: Request) -> ReadGrid:
    """Choose what becomes a feature, a label, a place or a weight; say what is left out.

    Raises: GridRejected listing every fault.
    """
    if not plain.bus_ids:
        raise GridRejected("The grid has no buses.", [Fault("buses", "there are none")])
    faults: list[Fault] = []
    use_weights = _use_weights(request)
    numeric = [name for name in _numeric_columns(plain.bus_attributes) if name not in _KEPT]
    graph = GraphIn(
        buses=[
            _make_bus(bus_id, attributes, numeric)
            for bus_id, attributes in zip(plain.bus_ids, plain.bus_attributes, strict=True)
        ],
        branches=[
            _make_branch(ends, attributes, position, use_weights, faults)
            for position, (ends, attributes) in enumerate(
                zip(plain.ends, plain.branch_attributes, strict=True)
            )
        ],
    )
    read = _read_topology(graph, plain, request, faults)
    label_sets = tuple(_read_label_sets(plain))
    grid = replace(
        read.grid,
        name=request.options.get("name") or read.grid.name,
        source=plain.source,
        branch_columns=_branch_columns(plain, read),
    )
    report = read.report | {
        "labels": {each.name: each.class_counts() for each in label_sets},
        "weight": {"choice": "given" if use_weights else "one"},
        "branch_columns": [{"name": name, "unit": None} for name in grid.branch_columns.names],
        "columns_not_kept": sorted(_all_columns(plain.bus_attributes) - set(numeric) - _KEPT),
        "notes": [*read.report["notes"], *plain.notes],
    }
    return ReadGrid(grid, label_sets, report)


def _read_topology(
    graph: GraphIn, plain: PlainGraph, request: Request, faults: list[Fault]
) -> ReadGrid:
    try:
        return read_topology(graph, GridLimits(request.bus_limit, request.branch_limit), faults)
    except GridRejected as error:
        raise GridRejected(str(error), [_place(each, plain) for each in error.faults]) from error


def _place(fault: Fault, plain: PlainGraph) -> Fault:
    """Name the place of a fault as the file does: ``branches[0].to`` is ``edge 1 target``."""
    found = _TOPOLOGY_PLACE.fullmatch(fault.where)
    if found is None:
        return fault
    part, position, name = found.groups()
    place = plain.bus_place if part == "buses" else plain.branch_place
    words = (place.format(int(position) + 1), _FIELDS.get(name, name))
    return Fault(" ".join(filter(None, words)), fault.problem)


def _use_weights(request: Request) -> bool:
    choice = request.options.get("weight", "given")
    if choice not in ("given", "one"):
        problem = "this format has no electrical columns: choose 'given' or 'one'"
        raise GridRejected("The weight cannot be made.", [Fault("weight", problem)])
    return choice == "given"


def _make_bus(bus_id: str, attributes: Mapping[str, Scalar], numeric: Sequence[str]) -> BusIn:
    bus = BusIn(id=bus_id)
    if numeric:
        bus.features = {name: _number(attributes[name]) for name in numeric}
    name = attributes.get("name")
    if name is not None and to_text(name) != bus_id:
        bus.name = to_text(name).strip() or UNSET
    lat, lon = attributes.get("lat"), attributes.get("lon")
    if isinstance(lat, float) and isinstance(lon, float):
        bus.lat, bus.lon = lat, lon
    return bus


def _make_branch(
    ends: tuple[str, str],
    attributes: Mapping[str, Scalar],
    position: int,
    use_weights: bool,
    faults: list[Fault],
) -> BranchIn:
    branch = BranchIn(source=ends[0], target=ends[1])
    kind = attributes.get("kind")
    if isinstance(kind, str) and kind:
        branch.kind = kind
    weight = attributes.get("weight")
    if use_weights and weight is not None:
        if isinstance(weight, str) or not math.isfinite(weight):
            faults.append(Fault(f"branches[{position}].weight", "is not a finite number"))
        else:
            branch.weight = float(weight)
    return branch


def _numeric_columns(rows: Sequence[Mapping[str, Scalar]]) -> list[str]:
    """Return the columns that are a finite number in every row."""
    names = list(rows[0]) if rows else []
    return [name for name in names if all(_is_number(row.get(name)) for row in rows)]


def _is_number(value: Scalar) -> bool:
    return isinstance(value, float) and math.isfinite(value)


def _number(value: Scalar) -> float:
    return value if isinstance(value, float) else math.nan


def _all_columns(rows: Sequence[Mapping[str, Scalar]]) -> set[str]:
    return {name for row in rows for name in row}


def _branch_columns(plain: PlainGraph, read: ReadGrid) -> Columns:
    rows = plain.branch_attributes
    names = [name for name in _numeric_columns(rows) if name not in ("weight", "kind")]
    kept = [position for position, (source, target) in enumerate(plain.ends) if source != target]
    if not names or len(kept) != read.grid.branch_count:
        return Columns()
    values = np.array([[rows[row][name] for name in names] for row in kept], dtype=np.float64)
    return Columns(tuple(names), ("",) * len(names), values.reshape(len(kept), len(names)))


def _read_label_sets(plain: PlainGraph) -> list[LabelSet]:
    found = []
    for column in LABEL_COLUMNS:
        texts = [to_text(row.get(column)) for row in plain.bus_attributes]
        classes = sorted({text for text in texts if text}, key=natural_order)
        if not classes:
            continue
        if len(classes) > _MOST_CLASSES or any(find_text_problem(each, 100) for each in classes):
            problem = f"is not a column of at most {_MOST_CLASSES} short class names"
            raise GridRejected("The labels cannot be read.", [Fault(column, problem)])
        positions = position_in(classes, texts)
        definition = f"column {column!r} of the uploaded file"
        found.append(LabelSet(column, tuple(classes), positions, definition))
    return found


def to_text(value: Any) -> str:
    """Write a value as a class or an id is written: 3.0 is 3."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)
