"""Labels uploaded by a user: classes by bus id or alias, for some or all buses."""

from collections.abc import Iterable

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from app.errors import LabelsRejected
from app.grid.grid import UNKNOWN_CLASS, Grid, LabelSet
from app.grid.listing import Listing, make_listing
from app.grid.text_rules import find_text_problem, shorten
from app.ingest.build.power_labels import natural_order
from ml.errors import Fault

MOST_CLASSES = 1000


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
    faults.extend(list_overall_faults(placed, name))
    if faults:
        raise LabelsRejected("The labels have errors.", faults)
    return make_own_set(grid, name, placed), PlacementReport(make_listing(unknown))


def list_overall_faults(placed: dict[int, str], name: str) -> Iterable[Fault]:
    """Yield the faults of a label set as a whole: its name, no bus, too many classes."""
    problem = find_text_problem(name, 100)
    if problem or "/" in name:
        yield Fault("name", problem or "contains a slash")
    if not placed:
        yield Fault("labels", "name no bus of the grid")
    if len(set(placed.values())) > MOST_CLASSES:
        yield Fault("labels", f"have more than {MOST_CLASSES} classes")


def make_own_set(grid: Grid, name: str, placed: dict[int, str]) -> LabelSet:
    """Make a label set of the classes of some buses; all others are unknown."""
    class_names = sorted(set(placed.values()), key=natural_order)
    codes = {class_name: code for code, class_name in enumerate(class_names)}
    classes = np.full(grid.bus_count, UNKNOWN_CLASS, dtype=np.int64)
    for bus, class_name in placed.items():
        classes[bus] = codes[class_name]
    return LabelSet(name, tuple(class_names), classes, "the user's own labels", "user")
