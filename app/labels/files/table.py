"""Reads a label file, CSV or JSON, into rows that know their line."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.errors import LabelsRejected, MalformedBody
from app.http.strict_json import parse_json
from app.labels.files.header import BusKey, LabelColumns, count_known_names, find_columns
from ml.errors import Fault

MOST_ROWS = 200_000
_SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_SEPARATOR_LINE = re.compile(r"sep=([,;\t|])", re.IGNORECASE)
_MOST_COLUMNS = 1000
_LINES_PER_ROW = 10
"""Blank lines are no rows, but reading millions of them takes as long."""
_Cells = tuple[str, list[str]]
"""Place of a row in the file ("line 7") and its cells."""


@dataclass(frozen=True, slots=True)
class FileRow:
    """One row of a label file; texts without blanks at their ends, "" where a cell is empty."""

    place: str
    label: str
    bus: str
    name: str
    latitude: str
    longitude: str


@dataclass(frozen=True, eq=False)
class LabelTable:
    """The rows of a label file with a class, and how the file was read."""

    rows: list[FileRow]
    columns: dict[str, str]
    encoding: str
    separator: str | None
    without_label: int
    faults: list[Fault]


def read_label_table(
    content: bytes, by: BusKey | None = None, label_column: str | None = None
) -> LabelTable:
    """Read a label file; rows that are not of the table are listed as faults.

    CSV may be separated by commas, semicolons, tabs or bars, in UTF-8 (with or without byte
    order mark), UTF-16 with one, or Latin-1. JSON is an object of classes by bus or an array of
    objects. Raises: LabelsRejected for a file that is not a table or lacks a column.
    """
    text, encoding = _decode(content)
    separator = None
    if text.lstrip()[:1] in ("{", "["):
        header, entries, faults = _read_json(text)
        columns = find_columns(header, by, label_column)
        rows = [_make_row(place, _take(entry, header, columns)) for place, entry in entries]
    else:
        header, cells, faults, separator = _read_csv(text)
        columns = find_columns(header, by, label_column)
        rows = [
            _make_row(place, ["" if at is None else values[at] for at in columns])
            for place, values in cells
        ]
    labelled = [row for row in rows if row.label]
    return LabelTable(
        rows=labelled,
        columns=columns.describe(header),
        encoding=encoding,
        separator=None if separator is None else _SEPARATORS[separator],
        without_label=len(rows) - len(labelled),
        faults=faults,
    )


def _decode(content: bytes) -> tuple[str, str]:
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if content.startswith(mark):
            try:
                return content[len(mark) :].decode(encoding), encoding
            except UnicodeDecodeError as error:
                raise _refuse("The file is not text.", f"is not valid {encoding}") from error
    try:
        return content.decode(), "utf-8"
    except UnicodeDecodeError:
        return content.decode("latin-1"), "latin-1"


def _read_csv(text: str) -> tuple[list[str], list[_Cells], list[Fault], str]:
    separator = _find_separator(text)
    lines = _split_csv(text, separator)
    header: list[str] = []
    cells: list[_Cells] = []
    faults: list[Fault] = []
    for place, values in lines:
        if not header:
            is_note = len(values) <= 2 and _SEPARATOR_LINE.fullmatch(separator.join(values))
            header = [] if is_note else [name.strip() for name in values]
            continue
        fitted, problem = _fit(values, len(header))
        if problem:
            faults.append(Fault(place, problem))
        else:
            cells.append((place, fitted))
        _check_count(len(cells) + len(faults))
    if not header:
        raise _refuse("The file is empty.", "has no header")
    return header, cells, faults, separator


def _split_csv(text: str, separator: str) -> Iterator[_Cells]:
    """Yield the rows that are not blank with the number of their first line."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    first = 1
    try:
        for values in reader:
            if any(value.strip() for value in values):
                yield f"line {first}", values
            first = reader.line_num + 1
            _check_count(first // _LINES_PER_ROW)
    except csv.Error as error:
        problem = "is not valid CSV: a quoted cell is not closed, or a cell is too long"
        raise LabelsRejected(
            "The file is not valid CSV.", [Fault(f"line {first}", problem)]
        ) from error


def _find_separator(text: str) -> str:
    """Return the separator with which the header has the most known names, then most cells."""
    head = text.lstrip("\r\n").partition("\n")[0].rstrip("\r")
    note = _SEPARATOR_LINE.fullmatch(head.strip(" "))
    if note:
        return note.group(1)

    def rank(separator: str) -> tuple[int, int]:
        try:
            (names,) = list(csv.reader([head[:100_000]], delimiter=separator))
        except (csv.Error, ValueError):
            return 0, 0
        return count_known_names(names), len(names)

    return max(_SEPARATORS, key=rank)


def _fit(values: list[str], width: int) -> tuple[list[str], str | None]:
    while len(values) > width and not values[-1].strip():
        values = values[:-1]
    if len(values) == width:
        return values, None
    return values, f"has {len(values)} cells, the header has {width}"


def _read_json(
    text: str,
) -> tuple[list[str], list[tuple[str, Mapping[str, Any]]], list[Fault]]:
    try:
        content = parse_json(text.encode())
    except MalformedBody as error:
        raise LabelsRejected("The file is not valid JSON.", error.faults) from error
    if isinstance(content, Mapping) and isinstance(content.get("labels"), Mapping | list):
        content = content["labels"]
    if isinstance(content, Mapping):
        content = [{"bus": bus, "label": value} for bus, value in content.items()]
    if not isinstance(content, list) or not content:
        raise _refuse("The file has no labels.", "must be an object of classes by bus or an array")
    _check_count(len(content))
    objects = [one for one in content if isinstance(one, Mapping)]
    header = list(dict.fromkeys(name for one in objects for name in one))
    if len(header) > _MOST_COLUMNS:
        raise _refuse("The file is not a table.", f"has more than {_MOST_COLUMNS:,} keys")
    entries: list[tuple[str, Mapping[str, Any]]] = []
    faults: list[Fault] = []
    for number, one in enumerate(content, 1):
        problem = "is not an object" if not isinstance(one, Mapping) else _find_problem(one)
        if problem:
            faults.append(Fault(f"entry {number}", problem))
        else:
            entries.append((f"entry {number}", one))
    return header, entries, faults


def _take(entry: Mapping[str, Any], header: Sequence[str], columns: LabelColumns) -> list[str]:
    """Return the cells that are used; the entries of a file may have very different keys."""
    return ["" if at is None else _to_text(entry.get(header[at])) for at in columns]


def _find_problem(one: Mapping[str, Any]) -> str | None:
    nested = [name for name, value in one.items() if isinstance(value, Mapping | list)]
    return f"{nested[0]!r:.50} is neither text nor a number" if nested else None


def _to_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _make_row(place: str, cells: Sequence[str]) -> FileRow:
    """Make a row of the cells in the order of ``LabelColumns``."""
    label, bus, name, latitude, longitude = (cell.strip() for cell in cells)
    return FileRow(place, label, bus, name, latitude, longitude)


def _check_count(count: int) -> None:
    if count > MOST_ROWS:
        raise _refuse("The file is too long.", f"has more than {MOST_ROWS:,} rows")


def _refuse(message: str, problem: str) -> LabelsRejected:
    return LabelsRejected(message, [Fault("file", problem)])
