"""Labels uploaded by a user: classes by bus id or alias, for some or all buses."""

import csv
import io
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from app.errors import LabelsRejected
from app.grid.grid import UNKNOWN_CLASS, Grid, LabelSet
from app.grid.listing import MOST_LISTED, Listing, make_listing
from app.grid.text_rules import find_text_problem, shorten
from app.ingest.build.power_labels import natural_order
from ml.errors import Fault

MOST_CLASSES = 1000
_ID_COLUMNS = ("bus", "bus_id", "id")
_CLASS_COLUMNS = ("label", "class")
_BYTE_ORDER_MARK = "\ufeff"


class PlacementReport(msgspec.Struct, frozen=True):
    """Buses named by the user that the grid does not have."""

    unknown_buses: Listing | UnsetType = UNSET


def place_labels(
    grid: Grid, name: str, pairs: Iterable[tuple[str, str]]
) -> tuple[LabelSet, PlacementReport]:
    """Give each named bus its class; all other buses stay unknown.

    Raises: LabelsRejected for a class name that is not allowed, a bus with two classes, a name
        of several buses, or labels without a single bus of the grid.
    """
    faults: list[Fault] = []
    placed: dict[int, str] = {}
    unknown: list[str] = []
    for bus, class_name in pairs:
        problem = find_text_problem(class_name, 100)
        if problem:
            faults.append(Fault(f"bus {shorten(bus)}", f"its class {problem}"))
            continue
        positions = grid.find_buses(bus)
        if not positions:
            unknown.append(bus)
        elif len(positions) > 1:
            faults.append(Fault(f"bus {shorten(bus)}", f"{len(positions)} buses have this name"))
        elif placed.setdefault(positions[0], class_name) != class_name:
            faults.append(Fault(f"bus {shorten(bus)}", "has two classes"))
    faults.extend(_overall_faults(placed, name))
    if faults:
        raise LabelsRejected("The labels have errors.", faults)
    return _make_set(grid, name, placed), PlacementReport(make_listing(unknown))


def read_label_rows(content: bytes) -> list[tuple[str, str]]:
    """Read CSV with a column of buses and one of classes. Raises: LabelsRejected."""
    try:
        text = content.decode().removeprefix(_BYTE_ORDER_MARK)
        # Row by row: one call of list() would block all other requests meanwhile.
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True)]  # noqa: C416
    except (UnicodeDecodeError, csv.Error) as error:
        raise LabelsRejected(
            "The file is not CSV in UTF-8.", [Fault("file", "is not valid CSV")]
        ) from error
    header = [name.strip() for name in rows[0]] if rows else []
    bus, label = _find_column(header, _ID_COLUMNS), _find_column(header, _CLASS_COLUMNS)
    cells = [row for row in rows[1:] if row]
    uneven = [number for number, row in enumerate(cells, 2) if len(row) != len(header)]
    if uneven:
        raise LabelsRejected(
            "The file is not a table.",
            [
                Fault(f"row {number}", "has not as many cells as the header")
                for number in uneven[:MOST_LISTED]
            ],
        )
    return [(row[bus], row[label]) for row in cells if row[label]]


def _find_column(header: Sequence[str], names: Sequence[str]) -> int:
    for name in names:
        if name in header:
            return header.index(name)
    fault = Fault("header", f"has none of the columns {', '.join(names)}")
    raise LabelsRejected("The file has a missing column.", [fault])


def _overall_faults(placed: dict[int, str], name: str) -> Iterable[Fault]:
    problem = find_text_problem(name, 100)
    if problem or "/" in name:
        yield Fault("name", problem or "contains a slash")
    if not placed:
        yield Fault("labels", "name no bus of the grid")
    if len(set(placed.values())) > MOST_CLASSES:
        yield Fault("labels", f"have more than {MOST_CLASSES} classes")


def _make_set(grid: Grid, name: str, placed: dict[int, str]) -> LabelSet:
    class_names = sorted(set(placed.values()), key=natural_order)
    codes = {class_name: code for code, class_name in enumerate(class_names)}
    classes = np.full(grid.bus_count, UNKNOWN_CLASS, dtype=np.int64)
    for bus, class_name in placed.items():
        classes[bus] = codes[class_name]
    return LabelSet(name, tuple(class_names), classes, "the user's own labels", "user")
