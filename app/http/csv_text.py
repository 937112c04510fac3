"""Tables as CSV text that is safe to open in a spreadsheet."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Cell: TypeAlias = str | float | int | None

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def write_csv(sheet: Mapping[str, Sequence[Cell]]) -> str:
    """Write a table; text that a spreadsheet would run as a formula gets an apostrophe."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([neutralise(name) for name in sheet])
    for row in zip(*sheet.values(), strict=True):
        writer.writerow([neutralise(cell) for cell in row])
    return stream.getvalue()


def neutralise(cell: Cell) -> Cell:
    """Put an apostrophe before text that would be a formula; numbers stay numbers."""
    if isinstance(cell, str) and cell.startswith(_FORMULA_STARTS):
        return f"'{cell}"
    return cell
