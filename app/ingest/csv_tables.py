"""CSV: branches alone, or with a file of buses beside it; ids stay text, quoting is strict."""

import csv
import io
from collections.abc import Iterator, Sequence

from app.errors import GridRejected
from app.ingest.exchange import Request
from app.ingest.grid import ReadGrid
from app.ingest.plain_graph import LABEL_COLUMNS, PlainGraph, Scalar, build_plain_grid
from ml.errors import Fault

_SOURCES = ("source", "from", "from_bus")
_TARGETS = ("target", "to", "to_bus")
_IDS = ("id", "bus", "bus_id")
_TEXT_COLUMNS = frozenset((*LABEL_COLUMNS, "name", "kind"))
_NUMBER_CHARACTERS = frozenset("0123456789+-.eE")
_DELIMITERS = (",", ";", "\t")
_MOST_COLUMNS = 300
_BYTE_ORDER_MARK = "\ufeff"
_MOST_FAULTS = 100

_Row = dict[str, str]


def read(request: Request) -> ReadGrid:
    """Read branches, and buses where they are given. Raises: GridRejected with every fault."""
    faults: list[Fault] = []
    limit = request.branch_limit
    branches = _read_table("file", request.files["file"], (_SOURCES, _TARGETS), limit, faults)
    ends = list(zip(*_take(branches, _SOURCES), *_take(branches, _TARGETS), strict=True))
    bus_file = request.files.get("buses")
    if bus_file is None:
        ids = list(dict.fromkeys(bus for pair in ends for bus in pair))
        buses: list[_Row] = [{} for _ in ids]
    else:
        buses = _read_table("buses", bus_file, (_IDS,), request.bus_limit, faults)
        (ids,) = _take(buses, _IDS)
    if faults:
        raise GridRejected("The CSV cannot be read.", faults[:_MOST_FAULTS])
    plain = PlainGraph(
        source="csv",
        bus_ids=ids,
        bus_attributes=[_type_cells(row) for row in buses],
        ends=ends,
        branch_attributes=[_type_cells(row) for row in branches],
        notes=() if bus_file else ("The buses are the ends of the branches.",),
        bus_place="buses row {}" if bus_file else "bus {}",
        branch_place="file row {}",
    )
    return build_plain_grid(plain, request)


def _take(rows: Sequence[_Row], names: Sequence[str]) -> tuple[list[str]]:
    """Take the column of one of these names out of the rows."""
    present = [name for name in names if rows and name in rows[0]]
    if not present:
        return ([],)
    return ([row.pop(present[0]) for row in rows],)


def _read_table(
    where: str,
    content: bytes,
    required: Sequence[Sequence[str]],
    limit: int,
    faults: list[Fault],
) -> list[_Row]:
    try:
        text = content.decode().removeprefix(_BYTE_ORDER_MARK)
    except UnicodeDecodeError as error:
        faults.append(Fault(where, f"byte {error.start} is not UTF-8"))
        return []
    if "\0" in text:
        faults.append(Fault(where, "contains the character NUL"))
        return []
    lines = io.StringIO(text, newline="")
    rows = csv.reader(lines, delimiter=_find_delimiter(text), strict=True)
    try:
        return list(_read_rows(where, rows, required, limit, faults))
    except csv.Error:
        faults.append(Fault(f"{where} line {rows.line_num}", "is not valid CSV"))
        return []


def _find_delimiter(text: str) -> str:
    header = text.partition("\n")[0]
    return max(_DELIMITERS, key=header.count)


def _read_rows(
    where: str,
    rows: Iterator[list[str]],
    required: Sequence[Sequence[str]],
    limit: int,
    faults: list[Fault],
) -> Iterator[_Row]:
    header = [name.strip() for name in next(rows, [])]
    problem = _find_header_problem(header, required)
    if problem:
        faults.append(Fault(f"{where} line 1", problem))
        return
    count = 0
    for cells in rows:
        if not cells:
            continue
        count += 1
        if count > limit:
            faults.append(Fault(where, f"has more than {limit:,} rows"))
            return
        if len(cells) != len(header):
            problem = f"has {len(cells)} cell(s), the header has {len(header)}"
            faults.append(Fault(f"{where} row {count}", problem))
            continue
        yield dict(zip(header, cells, strict=True))


def _find_header_problem(header: Sequence[str], required: Sequence[Sequence[str]]) -> str:
    if len(header) > _MOST_COLUMNS:
        return f"has more than {_MOST_COLUMNS} columns"
    if len(set(header)) < len(header):
        return "names a column twice"
    if any(not name for name in header):
        return "has a column without a name"
    missing = [names[0] for names in required if not set(names) & set(header)]
    return f"lacks the column(s) {', '.join(missing)}" if missing else ""


def _type_cells(row: _Row) -> dict[str, Scalar]:
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
