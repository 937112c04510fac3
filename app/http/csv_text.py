"""Tables as CSV text that is safe to open in a spreadsheet."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

Cell: TypeAlias = str | float | int | None

_PIECE = 2000
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def write_csv(sheet: Mapping[str, Sequence[Cell]]) -> str:
    """Write a table; text that a spreadsheet would run as a formula gets an apostrophe."""
    return b"".join(stream_csv(sheet)).decode()


def stream_csv(sheet: Mapping[str, Sequence[Cell]]) -> Iterator[bytes]:
    """Yield a table in pieces of some thousand rows, with the same protection."""
    yield write_lines([[neutralise(name) for name in sheet]])
    rows = zip(*sheet.values(), strict=True)
    while piece := list(islice(rows, _PIECE)):
        yield write_lines([neutralise(cell) for cell in row] for row in piece)


def write_lines(rows: Iterable[Iterable[Cell]]) -> bytes:
    """Write rows of cells that are safe already."""
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue().encode()


def neutralise(cell: Cell) -> Cell:
    """Put an apostrophe before text that would be a formula; numbers stay numbers."""
    if isinstance(cell, str) and cell.startswith(_FORMULA_STARTS):
        return f"'{cell}"
    return cell
