"""Makes a label set of the rows of a label file; reports every row that was left out."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from app.errors import LabelsRejected
from app.grid.grid import Grid, LabelSet
from app.grid.listing import join_first
from app.grid.text_rules import find_text_problem, shorten
from app.labels.files.header import BusKey
from app.labels.files.lookup import BusLookup, FoundBuses, describe_several
from app.labels.files.table import FileRow, LabelTable
from app.labels.uploaded import list_overall_faults, make_own_set
from ml.errors import Fault

WITHIN_METRES = 500.0
MOST_METRES = 100_000.0
MOST_SHOWN = 1000


class FileChoice(msgspec.Struct, frozen=True):
    """How a label file is read, and what happens to rows without exactly one bus."""

    by: BusKey | None = None
    label_column: str | None = None
    unknown: Literal["reject", "skip"] = "reject"
    ambiguous: Literal["reject", "skip", "all"] = "reject"
    within_metres: float = WITHIN_METRES


class RowNote(msgspec.Struct, frozen=True):
    """A row and what is to be said about it."""

    row: str
    problem: str


class RowNotes(msgspec.Struct, frozen=True):
    """The number of rows and the first 1,000 of them."""

    count: int
    rows: list[RowNote]


class LabelFileReport(msgspec.Struct, frozen=True, kw_only=True):
    """How a label file was read: its columns, and the rows that were skipped or repeated."""

    rows: int
    columns: dict[str, str]
    encoding: str
    separator: str | None
    without_label: int
    skipped: RowNotes
    repeated: RowNotes
    farthest_metres: float | None
    """Largest distance between a row and its bus; None without coordinates."""


class _Placing:
    """Collects classes of buses and the notes on rows."""

    def __init__(self, grid: Grid, choice: FileChoice) -> None:
        self.grid = grid
        self.choice = choice
        self.placed: dict[int, tuple[str, str]] = {}
        self.rejected: list[tuple[str, Fault]] = []
        self.skipped: list[RowNote] = []
        self.repeated: list[RowNote] = []
        self.farthest: float | None = None
        self._seen: dict[Sequence[int], tuple[str, str]] = {}

    def add(self, row: FileRow, found: FoundBuses) -> None:
        """Give the buses of a row their class, or note why not."""
        problem = find_text_problem(row.label, 100)
        if problem:
            self._reject(row, "invalid", f"its class {problem}")
        elif found.problem is not None:
            self._leave_out(row, found.kind, found.problem, skip=self.choice.unknown == "skip")
        elif len(found.buses) > 1 and self.choice.ambiguous != "all":
            several = describe_several(self.grid, found.buses, found.metres)
            self._leave_out(row, "ambiguous", several, skip=self.choice.ambiguous == "skip")
        else:
            self._place(row, found)

    def _place(self, row: FileRow, found: FoundBuses) -> None:
        if found.metres is not None:
            self.farthest = max(self.farthest or 0.0, found.metres)
        earlier = self._seen.setdefault(found.buses, (row.label, row.place))
        buses = found.buses
        if earlier[1] != row.place and earlier[0] == row.label:
            buses = buses[:1]  # all of them have their class already
        repeated = None
        for bus in buses:
            name, place = self.placed.setdefault(bus, (row.label, row.place))
            bus_id = shorten(self.grid.bus_ids[bus])
            if name != row.label:
                here = f"bus {bus_id} is {shorten(row.label)} here and {shorten(name)} on {place}"
                self._reject(row, "contradictory", here)
                return
            if place != row.place:
                repeated = f"bus {bus_id} has the same class on {place}"
        if repeated:
            self.repeated.append(RowNote(row.place, repeated))

    def _leave_out(self, row: FileRow, kind: str, problem: str, *, skip: bool) -> None:
        if skip and kind in ("unknown", "ambiguous"):
            self.skipped.append(RowNote(row.place, problem))
        else:
            self._reject(row, kind, problem)

    def _reject(self, row: FileRow, kind: str, problem: str) -> None:
        self.rejected.append((kind, Fault(row.place, problem)))


def place_table(
    grid: Grid, name: str, table: LabelTable, choice: FileChoice
) -> tuple[LabelSet, LabelFileReport]:
    """Make a label set of a label file; buses without a row stay unknown.

    Raises: LabelsRejected with every row that names no bus, several buses, or a bus with
        another class, unless ``choice`` skips it.
    """
    placing = _Placing(grid, choice)
    lookup = BusLookup(grid, choice.within_metres)
    for row, found in zip(table.rows, lookup.find_all(table.rows), strict=True):
        placing.add(row, found)
    rejected = [*(("malformed", fault) for fault in table.faults), *placing.rejected]
    classes = {bus: class_name for bus, (class_name, _) in placing.placed.items()}
    overall = list(list_overall_faults(classes, name))
    if rejected or overall:
        rejected.sort(key=lambda pair: int(pair[1].where.rpartition(" ")[2]))
        raise LabelsRejected(
            _summarise([kind for kind, _ in rejected], choice),
            [*overall, *(fault for _, fault in rejected)],
        )
    report = LabelFileReport(
        rows=len(table.rows) + table.without_label,
        columns=table.columns,
        encoding=table.encoding,
        separator=table.separator,
        without_label=table.without_label,
        skipped=_make_notes(placing.skipped),
        repeated=_make_notes(placing.repeated),
        farthest_metres=None if placing.farthest is None else round(placing.farthest, 1),
    )
    return make_own_set(grid, name, classes), report


def _summarise(kinds: Iterable[str], choice: FileChoice) -> str:
    counts = Counter(kinds)
    if not counts:
        return "The labels have errors."
    counted = join_first([f"{count:,} {kind}" for kind, count in counts.items()])
    advice = [
        f"`{kind}=skip` leaves the {kind} rows out"
        for kind in ("unknown", "ambiguous")
        if kind in counts and getattr(choice, kind) == "reject"
    ]
    hint = f" {'; '.join(advice)}." if advice else ""
    return f"Rows of the file were refused ({counted}); nothing was stored.{hint}"


def _make_notes(notes: Sequence[RowNote]) -> RowNotes:
    return RowNotes(len(notes), list(notes[:MOST_SHOWN]))
