"""The user's own labels: classes by bus id or alias, for some buses or for all."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.errors import LabelsRejected
from app.grid.grid import UNKNOWN_CLASS, Grid, LabelSet
from app.grid.text_rules import find_text_problem, shorten
from app.ingest.build.power_labels import natural_order
from ml.errors import Fault

MOST_CLASSES = 1000
_MOST_SHOWN = 20
_ID_COLUMNS = ("bus", "bus_id", "id")
_CLASS_COLUMNS = ("label", "class")
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, eq=False)
class OwnLabels:
    """A label set and the buses named in it that the grid does not have."""

    label_set: LabelSet
    unknown_buses: tuple[str, ...]

    def report(self) -> dict[str, Any]:
        """Say what could not be placed."""
        shown = list(self.unknown_buses[:_MOST_SHOWN])
        return {"unknown_buses": {"count": len(self.unknown_buses), "first": shown}}


def place_labels(grid: Grid, name: str, pairs: Iterable[tuple[str, str]]) -> OwnLabels:
    """Give each named bus its class; buses that are not named stay unknown.

    Raises: LabelsRejected: a class name that cannot be one, a bus with two classes, a name
        that several buses share, or not one bus of the grid.
    """
    faults: list[Fault] = []
    placed: dict[int, str] = {}
    unknown: list[str] = []
    for bus, class_name in pairs:
        problem = find_text_problem(class_name, 100)
        if problem:
            faults.append(Fault(f"bus {shorten(bus)}", f"its class {problem}"))
            continue
        found = grid.find_buses(bus)
        if not found:
            unknown.append(bus)
        elif len(found) > 1:
            faults.append(Fault(f"bus {shorten(bus)}", f"{len(found)} buses have this name"))
        elif placed.setdefault(found[0], class_name) != class_name:
            faults.append(Fault(f"bus {shorten(bus)}", "is given two classes"))
    faults.extend(_overall_faults(placed, name))
    if faults:
        raise LabelsRejected("The labels have errors.", faults)
    return OwnLabels(_make_set(grid, name, placed), tuple(unknown))


def read_label_rows(content: bytes) -> list[tuple[str, str]]:
    """Read CSV with a column of buses and one of classes. Raises: LabelsRejected."""
    try:
        text = content.decode().removeprefix(_BYTE_ORDER_MARK)
        # One by one: a list of all at once would let no other request run meanwhile.
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True)]  # noqa: C416
    except (UnicodeDecodeError, csv.Error) as error:
        raise LabelsRejected(
            "The file is not CSV in UTF-8.", [Fault("file", "cannot be read")]
        ) from error
    header = [name.strip() for name in rows[0]] if rows else []
    bus, label = _find_column(header, _ID_COLUMNS), _find_column(header, _CLASS_COLUMNS)
    cells = [row for row in rows[1:] if row]
    uneven = [number for number, row in enumerate(cells, 2) if len(row) != len(header)]
    if uneven:
        raise LabelsRejected(
            "The file is not a table.",
            [Fault(f"row {number}", "has another length") for number in uneven[:_MOST_SHOWN]],
        )
    return [(row[bus], row[label]) for row in cells if row[label]]


def _find_column(header: Sequence[str], names: Sequence[str]) -> int:
    for name in names:
        if name in header:
            return header.index(name)
    fault = Fault("header", f"has none of the columns {', '.join(names)}")
    raise LabelsRejected("The file lacks a column.", [fault])


def _overall_faults(placed: dict[int, str], name: str) -> Iterable[Fault]:
    problem = find_text_problem(name, 100)
    if problem or "/" in name:
        yield Fault("name", problem or "contains a slash")
    if not placed:
        yield Fault("labels", "not one bus of the grid is named")
    if len(set(placed.values())) > MOST_CLASSES:
        yield Fault("labels", f"at most {MOST_CLASSES} classes are taken")


def _make_set(grid: Grid, name: str, placed: dict[int, str]) -> LabelSet:
    class_names = sorted(set(placed.values()), key=natural_order)
    codes = {class_name: code for code, class_name in enumerate(class_names)}
    classes = np.full(grid.bus_count, UNKNOWN_CLASS, dtype=np.int64)
    for bus, class_name in placed.items():
        classes[bus] = codes[class_name]
    return LabelSet(name, tuple(class_names), classes, "the user's own labels", "user")
