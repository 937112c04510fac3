"""Tables of a pandapower JSON file: named columns of plain scalars.

pandapower's own reader imports modules and resolves functions named in the file; this reader
ignores every ``_module`` and ``_class``.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from app.errors import GridRejected
from ml.arrays import BoolArray, FloatArray, IntArray
from ml.errors import Fault


class Frame:
    """One table of the file: rows with an index and named columns of scalars."""

    def __init__(self, name: str, index: Sequence[Any], columns: Mapping[str, list[Any]]) -> None:
        self.name = name
        self.index = [_as_index(value) for value in index]
        self._columns = columns

    def __len__(self) -> int:
        return len(self.index)

    def has(self, column: str) -> bool:
        """Tell whether the table has a column of this name."""
        return column in self._columns

    def numbers(self, column: str, default: float = math.nan) -> FloatArray:
        """Return a column as numbers; ``default`` for missing values."""
        cells = self._columns.get(column)
        if cells is None:
            return np.full(len(self), default)
        return np.array([_as_number(cell, default) for cell in cells], dtype=np.float64)

    def truths(self, column: str) -> BoolArray:
        """Return a column of booleans; true for missing values."""
        cells = self._columns.get(column)
        if cells is None:
            return np.ones(len(self), dtype=np.bool_)
        return np.array([cell is None or bool(cell) for cell in cells], dtype=np.bool_)

    def texts(self, column: str) -> tuple[str, ...]:
        """Return a column as text, "" for empty cells."""
        return tuple(_as_text(cell) for cell in self._columns.get(column, [None] * len(self)))

    def positions(self, column: str, place: Mapping[int, int], faults: list[Fault]) -> IntArray:
        """Return positions of the referenced rows of another table; -1 and a fault if absent."""
        positions = []
        for row, value in enumerate(self._columns.get(column, [None] * len(self))):
            position = place.get(_as_index(value), -1)
            if position < 0:
                problem = f"{column} is not an element of the network"
                faults.append(Fault(f"{self.name} row {row + 1}", problem))
            positions.append(position)
        return np.array(positions, dtype=np.int64)


def load_frames(content: bytes) -> dict[str, Any]:
    """Return the undecoded parts of a network by name. Raises: GridRejected."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise GridRejected("The file is not JSON.") from error
    parts = document.get("_object") if isinstance(document, dict) else None
    if not isinstance(parts, dict) or "bus" not in parts:
        raise GridRejected("The file is not a pandapower network.")
    return parts


def get_frame(parts: Mapping[str, Any], name: str, limit: int) -> Frame:
    """Return a table of the network; empty if absent. Raises: GridRejected."""
    part = parts.get(name)
    if part is None:
        return Frame(name, [], {})
    content = part.get("_object") if isinstance(part, dict) else None
    try:
        table = json.loads(content) if isinstance(content, str) else content
    except (ValueError, RecursionError) as error:
        raise _unreadable(name) from error
    if not isinstance(table, dict):
        raise _unreadable(name)
    return _make_frame(name, table, limit)


def _make_frame(name: str, table: Mapping[str, Any], limit: int) -> Frame:
    index, data = table.get("index"), table.get("data")
    columns: Any = table.get("columns")
    if not (isinstance(index, list) and isinstance(data, list) and isinstance(columns, list)):
        raise _unreadable(name)
    if len(index) > limit:
        raise GridRejected("The grid is too large.", [Fault(name, f"has more than {limit:,} rows")])
    regular = all(isinstance(row, list) and len(row) == len(columns) for row in data)
    if not regular or len(data) != len(index) or len(set(map(str, index))) != len(index):
        raise _unreadable(name)
    cells = {
        str(column): [row[position] for row in data] for position, column in enumerate(columns)
    }
    return Frame(name, index, cells)


def _unreadable(name: str) -> GridRejected:
    fault = Fault(name, "is not a table of columns, index and data")
    return GridRejected("The network cannot be read.", [fault])


def _as_index(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:  # noqa: PLR0124
        return -1
    return int(value) if float(value).is_integer() and abs(value) < 2**53 else -1


def _as_number(cell: Any, default: float) -> float:
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        return default if cell is None else math.nan
    try:
        return float(cell)
    except OverflowError:
        return math.inf


def _as_text(cell: Any) -> str:
    if isinstance(cell, float) and math.isfinite(cell) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip() if isinstance(cell, str | int | float) else ""
