"""Reader of CSV: branches, optionally with a second file of buses; ids stay text."""

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from app.errors import GridRejected
from app.grid.report import ReadGrid
from app.ingest.build.attributes import Scalar
from app.ingest.build.plain_graph import LABEL_COLUMNS, Ends, PlainGraph, build_plain_grid
from app.ingest.protocol import Request
from ml.errors import Fault

Row = dict[str, str]
_DELIMITERS = (",", ";", "\t")
_MOST_COLUMNS = 300
_BYTE_ORDER_MARK = "\ufeff"
_SOURCES = ("source", "from", "from_bus")
_TARGETS = ("target", "to", "to_bus")
_IDS = ("id", "bus", "bus_id")
_TEXT_COLUMNS = frozenset((*LABEL_COLUMNS, "name", "kind", "substation"))
_NUMBER_CHARACTERS = frozenset("0123456789+-.eE")


@dataclass
class _Table:
    """The rows of one file, and the line number at which every row begins."""

    where: str
    rows: list[Row] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    complete: bool = True
    """False if some rows could not be read."""

    def choose_column(self, names: Sequence[str]) -> str:
        """Return the name that the file uses for a column."""
        return next((name for name in names if self.rows and name in self.rows[0]), names[0])

    def place(self, position: int, column: str = "") -> str:
        """Name the line of a row, as an editor shows it, and a column."""
        return f"{self.where} line {self.lines[position]} {column}".rstrip()


class _Buses(NamedTuple):
    ids: list[str]
    rows: list[Row]
    name: Callable[[int, str], str]
    """Names the place of a bus in the file, by its position and a field."""


def read(request: Request) -> ReadGrid:
    """Read branches, and buses if there is a file of them. Raises: GridRejected, every fault."""
    faults: list[Fault] = []
    limit = request.limits.branches
    branches = _read_table("file", request.files["file"], (_SOURCES, _TARGETS), limit, faults)
    columns = {"from": branches.choose_column(_SOURCES), "to": branches.choose_column(_TARGETS)}
    ends = _take_ends(branches, columns["from"], columns["to"], faults)
    table = None
    if "buses" in request.files:
        table = _read_table("buses", request.files["buses"], (_IDS,), request.limits.buses, faults)
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


def _take_ends(table: _Table, source: str, target: str, faults: list[Fault]) -> list[Ends]:
    """Take the ends out of the rows; an empty end is a fault and becomes None."""
    ends = [(row.pop(source) or None, row.pop(target) or None) for row in table.rows]
    faults.extend(
        Fault(table.place(position, column), "is empty")
        for position, pair in enumerate(ends)
        for column, end in zip((source, target), pair, strict=True)
        if end is None
    )
    return ends


def _take_buses(table: _Table) -> _Buses:
    column = table.choose_column(_IDS)
    ids = [row.pop(column) for row in table.rows]
    names = {"id": column}
    return _Buses(ids, table.rows, lambda at, name: table.place(at, names.get(name, name)))


def _leave_out_unknown(ends: Sequence[Ends], ids: Sequence[str]) -> list[Ends]:
    """Drop ends at buses whose rows may be among those that could not be read."""
    readable = set(ids)
    return [
        (source if source in readable else None, target if target in readable else None)
        for source, target in ends
    ]


def _list_ends(table: _Table, source: str, target: str, ends: Sequence[Ends]) -> _Buses:
    """Return the buses named by the branches; the place of a bus is its first mention."""
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


def _read_table(
    where: str,
    content: bytes,
    required: Sequence[Sequence[str]],
    limit: int,
    faults: list[Fault],
) -> _Table:
    """Read the readable rows of a file; every fault goes on the list.

    ``required`` has groups of names: the header needs one name of every group. Raises:
    GridRejected at once if there are more rows than the limit.
    """
    table = _Table(where)
    before = len(faults)
    try:
        text = content.decode().removeprefix(_BYTE_ORDER_MARK)
    except UnicodeDecodeError as error:
        faults.append(Fault(where, f"byte {error.start} is not UTF-8"))
        text = ""
    if "\0" in text:
        faults.append(Fault(where, "contains the character NUL"))
    if len(faults) == before:
        rows = csv.reader(
            io.StringIO(text, newline=""), delimiter=_find_delimiter(text), strict=True
        )
        try:
            _fill_table(table, _number_lines(rows), required, limit, faults)
        except csv.Error:
            faults.append(Fault(f"{where} line {rows.line_num}", "is not valid CSV"))
    table.complete = len(faults) == before
    return table


def _find_delimiter(text: str) -> str:
    header = text.partition("\n")[0]
    return max(_DELIMITERS, key=header.count)


def _number_lines(rows: Any) -> Iterator[tuple[int, list[str]]]:
    """Return every row with its first line: a quoted cell may span several lines."""
    line = 1
    for cells in rows:
        yield line, cells
        line = rows.line_num + 1


def _fill_table(
    table: _Table,
    rows: Iterator[tuple[int, list[str]]],
    required: Sequence[Sequence[str]],
    limit: int,
    faults: list[Fault],
) -> None:
    """Read the rows with as many cells as the header. Raises: GridRejected for too many rows."""
    header = [name.strip() for name in next(rows, (1, []))[1]]
    problem = _find_header_problem(header, required)
    if problem:
        faults.append(Fault(f"{table.where} line 1", problem))
        return
    for line, cells in rows:
        if not cells:
            continue
        if len(table.rows) >= limit:
            fault = Fault(table.where, f"has more than {limit:,} rows")
            raise GridRejected("The CSV cannot be read.", [fault])
        if len(cells) != len(header):
            problem = f"has {len(cells)} cell(s), the header has {len(header)}"
            faults.append(Fault(f"{table.where} line {line}", problem))
            continue
        table.rows.append(dict(zip(header, cells, strict=True)))
        table.lines.append(line)


def _find_header_problem(header: Sequence[str], required: Sequence[Sequence[str]]) -> str:
    if len(header) > _MOST_COLUMNS:
        return f"has more than {_MOST_COLUMNS} columns"
    if len(set(header)) < len(header):
        return "names a column twice"
    if any(not name for name in header):
        return "has a column without a name"
    missing = [names[0] for names in required if not set(names) & set(header)]
    return f"lacks the column(s) {', '.join(missing)}" if missing else ""
