"""Nodes and edges with attributes (CSV, GraphML, node-link JSON) -> the neutral grid."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import msgspec
import numpy as np
from msgspec import UNSET

from app.errors import GridRejected
from app.grid.describe import count_classes, describe_texts
from app.grid.grid import Columns, LabelSet, TextColumn
from app.grid.listing import Listing, join_first, make_listing
from app.grid.report import (
    ColumnInfo,
    ColumnNotKept,
    ReadGrid,
    WeightReport,
)
from app.grid.text_rules import find_text_problem, replace_controls, shorten
from app.ingest.build.attributes import (
    Scalar,
    is_number,
    list_numeric_columns,
    to_number,
    to_text,
)
from app.ingest.build.body import BranchIn, BusIn, GraphIn
from app.ingest.build.clean_names import NameCleaner
from app.ingest.build.coordinates import add_drawing, find_drawing
from app.ingest.build.power_labels import natural_order, position_in
from app.ingest.build.text_columns import choose_text_columns
from app.ingest.build.topology import GIVEN_WEIGHT, read_topology, reject
from app.ingest.protocol import Request
from ml.errors import Fault

Ends: TypeAlias = tuple[str | None, str | None]
"""Source and target of a branch; None for an end that already has a fault."""
LABEL_COLUMNS = ("label", "role", "area", "zone", "bus_type")
"""Bus columns that are classes, even if all of them are numbers."""
_KEPT = frozenset((*LABEL_COLUMNS, "lat", "lon", "name", "substation"))
"""Bus columns with a fixed meaning; they are not features."""
_MOST_CLASSES = 1000
_TOPOLOGY_PLACE = re.compile(r"(buses|branches)\[(\d+)\](?:\.(\w+))?.*")
_FIELDS = {"from": "source", "to": "target"}
_NOT_KEPT_NOTE = "A column of the buses is kept as a feature only if every bus has a number there."


def _name_node(position: int, name: str) -> str:
    return f"node {position + 1} {name}".rstrip()


def _name_edge(position: int, name: str) -> str:
    return f"edge {position + 1} {_FIELDS.get(name, name)}".rstrip()


@dataclass(frozen=True, eq=False, kw_only=True)
class PlainGraph:
    """A graph of a general format: ids, and attributes whose meaning is decided later."""

    source: str
    bus_ids: Sequence[str]
    bus_attributes: Sequence[Mapping[str, Scalar]]
    ends: Sequence[Ends]
    branch_attributes: Sequence[Mapping[str, Scalar]]
    notes: Sequence[str] = field(default_factory=tuple)
    faults: Sequence[Fault] = field(default_factory=tuple)
    """Faults found by the reader, with the places named as in the file."""
    name_bus: Callable[[int, str], str] = _name_node
    """Names the place of a bus in the file, by its position and a field; likewise for a branch."""
    name_branch: Callable[[int, str], str] = _name_edge


def build_plain_grid(plain: PlainGraph, request: Request) -> ReadGrid:
    """Sort the attributes into features, labels, places and weights; report what is left out.

    Raises: GridRejected listing every fault.
    """
    cleaner = NameCleaner()
    plain = _clean(plain, cleaner)
    faults = list(plain.faults)
    if not plain.bus_ids:
        reject(faults or [Fault("buses", "there are none")])
    use_weights = _use_weights(request, faults)
    label_sets = tuple(_read_label_sets(plain, faults))
    kept = _KEPT | find_drawing(plain.bus_attributes, request.options.coordinates)
    numeric = [name for name in list_numeric_columns(plain.bus_attributes) if name not in kept]
    graph = GraphIn(
        buses=_make_buses(plain, numeric, faults),
        branches=[
            _make_branch(ends, attributes, position, use_weights, faults)
            for position, (ends, attributes) in enumerate(
                zip(plain.ends, plain.branch_attributes, strict=True)
            )
        ],
    )
    read = _read_topology(graph, plain, request, faults, cleaner)
    grid = replace(
        read.grid,
        name=request.options.name or read.grid.name,
        source=plain.source,
        branch_columns=_branch_columns(plain, read),
        text_columns=_read_texts(plain, kept.union(numeric)),
    )
    not_kept = _list_not_kept(plain, kept.union(numeric))
    report = msgspec.structs.replace(
        read.report,
        labels=count_classes(label_sets),
        weight=_describe_weight(use_weights),
        branch_columns=[ColumnInfo(name) for name in grid.branch_columns.names],
        columns_not_kept=not_kept,
        text_columns=describe_texts(grid),
    )
    kept_note = [_NOT_KEPT_NOTE] if not_kept else []
    report = report.add_notes([*plain.notes, *kept_note, *_list_left_out(plain)])
    read = ReadGrid(grid, label_sets, report)
    return add_drawing(read, plain.bus_attributes) if "x" in kept else read


def _describe_weight(use_weights: bool) -> WeightReport:
    choice = ("given", GIVEN_WEIGHT) if use_weights else ("one", "1 for every branch")
    return WeightReport(*choice)


def _clean(plain: PlainGraph, cleaner: NameCleaner) -> PlainGraph:
    """Replace control characters in ids, in the ends that name them, and in attributes."""
    return replace(
        plain,
        bus_ids=cleaner.clean(plain.bus_ids),
        bus_attributes=cleaner.clean_rows(plain.bus_attributes),
        ends=[(_clean_end(source), _clean_end(target)) for source, target in plain.ends],
        branch_attributes=cleaner.clean_rows(plain.branch_attributes),
    )


def _clean_end(end: str | None) -> str | None:
    return None if end is None else replace_controls(end)


def _read_topology(
    graph: GraphIn,
    plain: PlainGraph,
    request: Request,
    faults: list[Fault],
    cleaner: NameCleaner,
) -> ReadGrid:
    try:
        return read_topology(graph, request.limits, faults, cleaner)
    except GridRejected as error:
        raise GridRejected(str(error), [_place(fault, plain) for fault in error.faults]) from error


def _place(fault: Fault, plain: PlainGraph) -> Fault:
    """Name the place of a fault as the file does: ``branches[0].to`` is ``edge 1 target``."""
    match = _TOPOLOGY_PLACE.fullmatch(fault.where)
    if match is None:
        return fault
    part, position, name = match.groups()
    place = plain.name_bus if part == "buses" else plain.name_branch
    return Fault(place(int(position), name or ""), fault.problem)


def _read_texts(plain: PlainGraph, others: frozenset[str]) -> dict[str, TextColumn]:
    rows = plain.bus_attributes
    names = sorted({name for row in rows for name in row} - others)
    return choose_text_columns({name: [to_text(row.get(name)) for row in rows] for name in names})


def _use_weights(request: Request, faults: list[Fault]) -> bool:
    choice = request.options.weight or "given"
    if choice not in ("given", "one"):
        problem = "this format has no electrical columns: choose 'given' or 'one'"
        faults.append(Fault("weight", problem))
    return choice != "one"


def _make_buses(plain: PlainGraph, numeric: Sequence[str], faults: list[Fault]) -> list[BusIn]:
    """Make the buses; a repeated id is a fault, and the later bus loses it."""
    first_with: dict[str, int] = {}
    buses = []
    for position, bus_id in enumerate(plain.bus_ids):
        bus = _make_bus(bus_id, plain.bus_attributes[position], numeric)
        earlier = first_with.setdefault(bus_id, position)
        if earlier != position:
            problem = f"{shorten(bus_id)} is also the id of {plain.name_bus(earlier, '')}"
            faults.append(Fault(plain.name_bus(position, "id"), problem))
            unknown: Any = None
            bus.id = unknown
        buses.append(bus)
    return buses


def _make_bus(bus_id: str, attributes: Mapping[str, Scalar], numeric: Sequence[str]) -> BusIn:
    bus = BusIn(id=bus_id)
    if numeric:
        bus.features = {name: to_number(attributes[name]) for name in numeric}
    name = attributes.get("name")
    if name is not None and to_text(name) != bus_id:
        bus.name = to_text(name).strip() or UNSET
    lat, lon = attributes.get("lat"), attributes.get("lon")
    if isinstance(lat, float) and isinstance(lon, float):
        bus.lat, bus.lon = lat, lon
    bus.substation = to_text(attributes.get("substation")) or UNSET
    return bus


def _make_branch(
    ends: Ends,
    attributes: Mapping[str, Scalar],
    position: int,
    use_weights: bool,
    faults: list[Fault],
) -> BranchIn:
    source: Any
    target: Any
    source, target = ends
    branch = BranchIn(source=source, target=target)
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


def _list_not_kept(plain: PlainGraph, kept: frozenset[str]) -> list[ColumnNotKept]:
    """List the bus columns that are no feature, and the first cells that are not numbers."""
    rows = plain.bus_attributes
    names = sorted({name for row in rows for name in row} - kept)
    return [ColumnNotKept(name, _find_other_cells(plain, name)) for name in names]


def _list_left_out(plain: PlainGraph) -> Iterator[str]:
    """List the branch columns and the bus coordinates that are not numbers."""
    rows = plain.branch_attributes
    kept = {"weight", "kind", *list_numeric_columns(rows)}
    names = sorted({name for row in rows for name in row} - kept)
    if names:
        shown = join_first([shorten(name) for name in names])
        yield f"Columns left out because not every branch has a number there: {shown}."
    if any(isinstance(row.get("kind"), float) for row in rows):
        yield "A number in the column 'kind' is left out: the kind of a branch is a word."
    places = [(row.get("lat"), row.get("lon")) for row in plain.bus_attributes]
    given = [position for position, place in enumerate(places) if place != (None, None)]
    lost = [
        position
        for position in given
        if not all(isinstance(value, float) for value in places[position])
    ]
    if lost:
        first = plain.name_bus(lost[0], "")
        yield f"{len(lost)} buses have no place: lat and lon are not two numbers; first: {first}."


def _find_other_cells(plain: PlainGraph, name: str) -> Listing:
    cells = [row.get(name) for row in plain.bus_attributes]
    return make_listing(
        f"{plain.name_bus(position, '')}: {_show_cell(cell)}"
        for position, cell in enumerate(cells)
        if not is_number(cell)
    )


def _show_cell(cell: Scalar) -> str:
    return "empty" if cell is None else shorten(str(cell))


def _branch_columns(plain: PlainGraph, read: ReadGrid) -> Columns:
    rows = plain.branch_attributes
    names = [name for name in list_numeric_columns(rows) if name not in ("weight", "kind")]
    kept = [position for position, (source, target) in enumerate(plain.ends) if source != target]
    if not names or len(kept) != read.grid.branch_count:
        return Columns()
    values = np.array([[rows[row][name] for name in names] for row in kept], dtype=np.float64)
    return Columns(tuple(names), ("",) * len(names), values.reshape(len(kept), len(names)))


def _read_label_sets(plain: PlainGraph, faults: list[Fault]) -> list[LabelSet]:
    label_sets = []
    for column in LABEL_COLUMNS:
        texts = [to_text(row.get(column)) for row in plain.bus_attributes]
        classes = sorted({text for text in texts if text}, key=natural_order)
        if not classes:
            continue
        if len(classes) > _MOST_CLASSES or any(find_text_problem(name, 100) for name in classes):
            problem = f"is not a column of at most {_MOST_CLASSES} short class names"
            faults.append(Fault(column, problem))
            continue
        positions = position_in(classes, texts)
        definition = f"column {column!r} of the uploaded file"
        label_sets.append(LabelSet(column, tuple(classes), positions, definition))
    return label_sets
