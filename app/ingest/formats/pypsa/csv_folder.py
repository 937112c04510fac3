"""PyPSA's CSV folder in a zip -> parts of the network; time series end at their first row."""

import csv
import io

from app.errors import GridRejected
from app.ingest.formats.guards.text_table import TextTable, read_text_table
from app.ingest.formats.guards.zip_guard import find_base_name, list_entries, read_tables
from app.ingest.formats.pypsa.source import COMPONENTS, SERIES, PypsaParts
from ml.errors import Fault

_TABLES = {f"{name}.csv": name for name in (*COMPONENTS, "network")}
_SERIES = {f"{name}.csv": name for name in SERIES}
_COUNTED = {f"{name}.csv": name for name in ("stores", "processes")}
_KNOWN = _TABLES | _SERIES | _COUNTED
_FIRST_ROWS = 2**23
"""Bytes that hold the header and the first snapshot of a series."""


def read_csv_folder(content: bytes, limit: int) -> PypsaParts:
    """Read the tables of a network. Raises: GridRejected."""
    files = read_tables(content, lambda name: name in _KNOWN)
    tables = {
        name: _name_rows(read_text_table(name, files[file], limit, delimiters=","))
        for file, name in (_TABLES | _COUNTED).items()
        if file in files
    }
    network = tables.pop("network", TextTable("network", {}, 0))
    names = {find_base_name(entry.name) for entry in list_entries(content)}
    srid = network.numbers("srid").tolist()
    counts = {name: tables[name].count for name in _COUNTED.values() if name in tables}
    return PypsaParts(
        name="".join(network.texts("name")[:1]),
        srid=int(srid[0]) if srid and abs(srid[0]) < 1e9 else None,
        tables=tables,
        series={
            name: _read_first(name, files[file]) for file, name in _SERIES.items() if file in files
        },
        unread={name: count for name, count in counts.items() if count},
        parts_not_read=tuple(sorted(name for name in names if name and name not in _KNOWN)),
    )


def _name_rows(table: TextTable) -> TextTable:
    """Take the first column as the name of the element, whatever its header is."""
    if table.has("name") or not table.names:
        return table
    return table.rename(table.names[0], "name")


def _read_first(name: str, content: bytes) -> dict[str, float]:
    """Return the first row of a time series by element; the first column is the snapshot."""
    text = content[:_FIRST_ROWS].decode("utf-8", "replace")
    rows = csv.reader(io.StringIO(text, newline=""))
    try:
        header, first = next(rows, []), next(rows, [])
    except csv.Error as error:
        fault = Fault(f"{name} line {rows.line_num}", "is not valid CSV")
        raise GridRejected("The archive cannot be read.", [fault]) from error
    cells = zip(header[1:], first[1:], strict=False)
    return {element: number for element, cell in cells if (number := _number(cell)) is not None}


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None
