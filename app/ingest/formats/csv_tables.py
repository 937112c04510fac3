"""CSV: branches alone, or with a file of buses beside it; ids stay text."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from app.grid.grid import ReadGrid
from app.ingest.build.plain_graph import LABEL_COLUMNS, Ends, PlainGraph, Scalar, build_plain_grid
from app.ingest.formats.csv_rows import Row, Table, read_table
from app.ingest.protocol import Request
from ml.errors import Fault

_SOURCES = ("source", "from", "from_bus")
_TARGETS = ("target", "to", "to_bus")
_IDS = ("id", "bus", "bus_id")
_TEXT_COLUMNS = frozenset((*LABEL_COLUMNS, "name", "kind"))
_NUMBER_CHARACTERS = frozenset("0123456789+-.eE")


class _Buses(NamedTuple):
    ids: list[str]
    rows: list[Row]
    name: Callable[[int, str], str]
    """Where the file has a bus, by its position, and a field of it."""


def read(request: Request) -> ReadGrid:
    """Read branches, and buses where they are given. Raises: GridRejected with every fault."""
    faults: list[Fault] = []
    limit = request.branch_limit
    branches = read_table("file", request.files["file"], (_SOURCES, _TARGETS), limit, faults)
    columns = {"from": branches.choose_column(_SOURCES), "to": branches.choose_column(_TARGETS)}
    ends = _take_ends(branches, columns["from"], columns["to"], faults)
    table = None
    if "buses" in request.files:
        table = read_table("buses", request.files["buses"], (_IDS,), request.bus_limit, faults)
    if table is None or not (table.complete or table.rows):
        buses = _list_ends(branches, columns["from"], columns["to"], ends)
    else:
        buses = _take_buses(table)
        ends = ends if table.complete else _leave_out_unknown(ends, buses.ids)
    plain = PlainGraph(
        source="csv",
        bus_ids=buses.ids,
        bus_attributes=[_type_cells(row) for row in buses.rows],
        ends=ends,
        branch_attributes=[_type_cells(row) for row in branches.rows],
        notes=() if table else ("The buses are the ends of the branches.",),
        faults=faults,
        name_bus=buses.name,
        name_branch=lambda position, name: branches.place(position, columns.get(name, name)),
    )
    return build_plain_grid(plain, request)


def _take_ends(table: Table, source: str, target: str, faults: list[Fault]) -> list[Ends]:
    """Take the ends out of the rows; None for an empty one, which is told."""
    ends = [(row.pop(source) or None, row.pop(target) or None) for row in table.rows]
    faults.extend(
        Fault(table.place(position, column), "is empty")
        for position, pair in enumerate(ends)
        for column, end in zip((source, target), pair, strict=True)
        if end is None
    )
    return ends


def _take_buses(table: Table) -> _Buses:
    column = table.choose_column(_IDS)
    ids = [row.pop(column) for row in table.rows]
    names = {"id": column}
    return _Buses(ids, table.rows, lambda at, name: table.place(at, names.get(name, name)))


def _leave_out_unknown(ends: Sequence[Ends], ids: Sequence[str]) -> list[Ends]:
    """Ask for no bus that may be in a row that could not be read."""
    known = set(ids)
    return [
        (source if source in known else None, target if target in known else None)
        for source, target in ends
    ]


def _list_ends(table: Table, source: str, target: str, ends: Sequence[Ends]) -> _Buses:
    """Return the buses that the branches name; the place of one is where it is named first."""
    first: dict[str, str] = {}
    for position, pair in enumerate(ends):
        for column, end in zip((source, target), pair, strict=True):
            if end is not None and end not in first:
                first[end] = table.place(position, column)
    places = list(first.values())
    return _Buses(list(first), [{} for _ in first], lambda position, _: places[position])


def _type_cells(row: Row) -> dict[str, Scalar]:
    return {
        name: (cell or None) if name in _TEXT_COLUMNS else _type_cell(cell)
        for name, cell in row.items()
    }


def _type_cell(cell: str) -> Scalar:
    if not cell:
        return None
    if not _NUMBER_CHARACTERS.issuperset(cell):
        return cell
    try:
        return float(cell)
    except ValueError:
        return cell
