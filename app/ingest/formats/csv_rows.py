"""The rows of a CSV file from a stranger, each with its line; quoting is strict."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.errors import GridRejected
from ml.errors import Fault

Row = dict[str, str]
_DELIMITERS = (",", ";", "\t")
_MOST_COLUMNS = 300
_BYTE_ORDER_MARK = "\ufeff"


@dataclass
class Table:
    """The rows of one file, and the line of the file at which each begins."""

    where: str
    rows: list[Row] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    complete: bool = True
    """False if the file has rows that could not be read."""

    def choose_column(self, names: Sequence[str]) -> str:
        """Return which of these names the file uses."""
        return next((name for name in names if self.rows and name in self.rows[0]), names[0])

    def place(self, position: int, column: str = "") -> str:
        """Name a row, or a cell of it, as an editor shows it."""
        return f"{self.where} line {self.lines[position]} {column}".rstrip()


def read_table(
    where: str,
    content: bytes,
    required: Sequence[Sequence[str]],
    limit: int,
    faults: list[Fault],
) -> Table:
    """Read what can be read of a file; every fault goes on the list.

    ``required``: of each group the header has one name. Raises: GridRejected at once if there
    are more rows than the limit.
    """
    table = Table(where)
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
    """Return every row with the line it begins at: a quoted cell may go over several."""
    line = 1
    for cells in rows:
        yield line, cells
        line = rows.line_num + 1


def _fill_table(
    table: Table,
    rows: Iterator[tuple[int, list[str]]],
    required: Sequence[Sequence[str]],
    limit: int,
    faults: list[Fault],
) -> None:
    """Read the rows that are as long as the header. Raises: GridRejected if there are too many."""
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
