"""Tables of named columns, read from CSV files of an archive: shared by several formats."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from app.errors import GridRejected
from app.grid.text_rules import find_text_problem, replace_controls
from ml.arrays import BoolArray, FloatArray, IntArray
from ml.errors import Fault

_BYTE_ORDER_MARK = "\ufeff"
_MOST_COLUMNS = 1000
_EMPTY = frozenset(("", "NULL", "null", "None", "none", "nan", "NaN"))
_TRUE = frozenset(("1", "1.0", "t", "T", "true", "True", "TRUE"))
_MOST_FAULTS = 200


class TextTable:
    """One table of a file: columns of text or of numbers, all of one length."""

    def __init__(
        self, name: str, columns: Mapping[str, Sequence[str] | FloatArray], count: int
    ) -> None:
        self.name = name
        self.count = count
        self._columns = columns

    def has(self, column: str) -> bool:
        """Tell whether the table has a column of this name."""
        return column in self._columns

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns."""
        return tuple(self._columns)

    def rename(self, old: str, new: str) -> "TextTable":
        """Return the table with another name for one column."""
        columns = {new if name == old else name: cells for name, cells in self._columns.items()}
        return TextTable(self.name, columns, self.count)

    def texts(self, column: str) -> list[str]:
        """Return a column as text without outer blanks; "" for missing values."""
        cells = self._columns.get(column)
        if cells is None:
            return [""] * self.count
        if isinstance(cells, np.ndarray):
            return [_write_number(value) for value in cells.tolist()]
        clean = {cell: cell.strip() for cell in set(cells)}
        clean |= {cell: "" for cell, text in clean.items() if text in _EMPTY}
        return [clean[cell] for cell in cells]

    def keys(self, column: str) -> list[str]:
        """Return a column of ids as text without outer blanks: a bus may be called ``None``."""
        cells = self._columns.get(column)
        if cells is None or isinstance(cells, np.ndarray):
            return self.texts(column)
        return [cell.strip() for cell in cells]

    def numbers(self, column: str, default: float = np.nan) -> FloatArray:
        """Return a column as numbers; ``default`` for missing values, nan for other text."""
        cells = self._columns.get(column)
        if cells is None:
            return np.full(self.count, default)
        if isinstance(cells, np.ndarray):
            return np.where(np.isnan(cells), default, cells)
        number_of = {cell: _read_number(cell, default) for cell in set(cells)}
        return np.fromiter((number_of[cell] for cell in cells), np.float64, self.count)

    def truths(self, column: str, default: bool) -> BoolArray:
        """Return a column of truth values; ``default`` for missing values."""
        texts = self.texts(column)
        truths = (text in _TRUE if text else default for text in texts)
        return np.fromiter(truths, np.bool_, len(texts))

    def positions(self, column: str, place: Mapping[str, int], faults: list[Fault]) -> IntArray:
        """Return the positions of the named buses; -1 and a fault for a bus that is not there."""
        texts = self.keys(column)
        positions = np.array([place.get(text, -1) for text in texts], dtype=np.int64)
        for row in np.flatnonzero(positions < 0)[:_MOST_FAULTS]:
            problem = f"{column} {texts[row][:40]!r} is not a bus of the file"
            faults.append(Fault(f"{self.name} row {row + 1}", problem))
        return positions


def read_text_table(
    name: str, content: bytes, limit: int, *, delimiters: str = ",;\t", quote: str = '"'
) -> TextTable:
    """Read one CSV file; the delimiter is the one that is most frequent in the header.

    Raises: GridRejected for anything that is not a table with a header, or for too many rows.
    """
    text = _decode(name, content)
    header_line = text.partition("\n")[0]
    delimiter = max(delimiters, key=header_line.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quotechar=quote)
    try:
        header = _read_header(name, next(reader, []))
        rows = [row for row in islice(reader, limit + 1) if row]
    except csv.Error as error:
        raise _reject(f"{name} line {reader.line_num}", "is not valid CSV") from error
    if len(rows) > limit:
        raise _reject(name, f"has more than {limit:,} rows")
    if set(map(len, rows)) - {len(header)}:
        raise GridRejected("The archive cannot be read.", _list_uneven(name, header, rows))
    columns = dict(zip(header, zip(*rows, strict=True), strict=True)) if rows else {}
    return TextTable(name, columns or dict.fromkeys(header, ()), len(rows))


def _list_uneven(name: str, header: list[str], rows: list[list[str]]) -> Iterator[Fault]:
    for number, row in enumerate(rows, start=1):
        if len(row) != len(header):
            problem = f"has {len(row)} cell(s), the header has {len(header)}"
            yield Fault(f"{name} row {number}", problem)


def _decode(name: str, content: bytes) -> str:
    try:
        text = content.decode().removeprefix(_BYTE_ORDER_MARK)
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    if "\0" in text:
        raise _reject(name, "contains the character NUL")
    return text


def _read_header(name: str, cells: Sequence[str]) -> list[str]:
    header = [cell.strip() for cell in cells]
    if len(header) > _MOST_COLUMNS:
        raise _reject(name, f"has more than {_MOST_COLUMNS:,} columns")
    if len(set(header)) < len(header):
        raise _reject(f"{name} line 1", "names a column twice")
    return header


def _reject(where: str, problem: str) -> GridRejected:
    return GridRejected("The archive cannot be read.", [Fault(where, problem)])


def _read_number(cell: str, default: float) -> float:
    try:
        number = float(cell)
    except ValueError:
        return default if cell.strip() in _EMPTY else np.nan
    return default if np.isnan(number) else number


def _write_number(value: float) -> str:
    if value != value:  # noqa: PLR0124 - nan
        return ""
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else str(value)


def read_ids(table: TextTable, column: str, faults: list[Fault]) -> tuple[str, ...]:
    """Return the ids of the rows; a fault for every id that is empty or not printable."""
    ids = tuple(table.keys(column))
    wrong = [(row, find_text_problem(replace_controls(text))) for row, text in enumerate(ids)]
    problems = [(row, problem) for row, problem in wrong if problem]
    for row, problem in problems[:_MOST_FAULTS]:
        faults.append(Fault(f"{table.name} row {row + 1} {column}", problem or ""))
    return ids
