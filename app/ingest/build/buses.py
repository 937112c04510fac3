"""Buses of a topology as columns; every fault goes on the caller's list."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from msgspec import UNSET

from app.grid.grid import UNKNOWN_CLASS, CoordinateSystem, LabelSet, Substations
from app.grid.listing import join_first
from app.grid.places import group_names
from app.grid.text_rules import find_text_problem, shorten
from app.ingest.build.body import BusIn
from app.ingest.build.clean_names import NameCleaner
from ml.arrays import FloatArray
from ml.errors import Fault

LABEL_SET = "label"
"""Name of the label set made of the `label` of the buses of a topology."""
MOST_FEATURES = 256
MOST_CLASSES = 1000
_MOST_CLASS_CHARACTERS = 100
_LABEL_DEFINITION = "The label that the uploaded topology gives its buses."


class Coordinates(NamedTuple):
    """Coordinates of buses, (N, 2) longitude and latitude, nan for unknown."""

    values: FloatArray
    system: CoordinateSystem


class Features(NamedTuple):
    """Feature columns, (N, Q)."""

    names: tuple[str, ...]
    values: FloatArray


def read_ids(buses: Sequence[BusIn], faults: list[Fault]) -> tuple[str, ...]:
    """Return the ids as text, "" for an unreadable one."""
    first_with: dict[str, int] = {}
    ids = []
    for position, bus in enumerate(buses):
        given: Any = bus.id  # None if decoding has already reported a fault
        text = "" if given is None else str(given)
        ids.append(text)
        if given is None:
            continue
        problem = find_text_problem(text)
        earlier = first_with.setdefault(text, position)
        if earlier != position:
            problem = f"{shorten(text)} is also the id of buses[{earlier}]"
        if problem is not None:
            faults.append(Fault(f"buses[{position}].id", problem))
    return tuple(ids)


def read_names(
    buses: Sequence[BusIn], faults: list[Fault], cleaner: NameCleaner
) -> tuple[str, ...]:
    """Return the names, "" for a bus without a name."""
    names = cleaner.clean([bus.name or "" for bus in buses])
    for position, name in enumerate(names):
        problem = find_text_problem(name) if name else None
        if problem is not None:
            faults.append(Fault(f"buses[{position}].name", problem))
    return names


def read_coordinates(buses: Sequence[BusIn], faults: list[Fault]) -> Coordinates:
    """Return longitude and latitude; a bus has both or none."""
    values = np.full((len(buses), 2), np.nan)
    for position, bus in enumerate(buses):
        given = (_given(bus.lon), _given(bus.lat))
        if given == (None, None):
            continue
        if None in given:
            faults.append(Fault(f"buses[{position}]", "has only one of lat and lon"))
            continue
        values[position] = given
        for name, value, most in (
            ("lon", values[position, 0], 180),
            ("lat", values[position, 1], 90),
        ):
            if not abs(value) <= most:
                faults.append(
                    Fault(f"buses[{position}].{name}", f"{value:g} is not within ±{most}")
                )
    placed = not np.isnan(values).all()
    return Coordinates(values, "geographic" if placed else "none")


def read_substations(
    buses: Sequence[BusIn], faults: list[Fault], cleaner: NameCleaner
) -> Substations | None:
    """Group the buses by their substation; None if no bus names one."""
    names = cleaner.clean(
        ["" if _given(bus.substation) is None else str(bus.substation) for bus in buses]
    )
    for position, name in enumerate(names):
        problem = find_text_problem(name) if name else None
        if problem is not None:
            faults.append(Fault(f"buses[{position}].substation", problem))
    return group_names(names, "column")


def read_features(buses: Sequence[BusIn], faults: list[Fault]) -> Features:
    """Return one column per feature name; every bus must have every feature.

    Columns come in the order in which their names first appear.
    """
    rows = [bus.features or {} for bus in buses]
    names = tuple(dict.fromkeys(name for row in rows for name in row))
    if len(names) > MOST_FEATURES:
        faults.append(Fault("buses", f"{len(names)} features exceed the limit of {MOST_FEATURES}"))
        return Features((), np.zeros((len(buses), 0)))
    for name in names:
        problem = find_text_problem(name, most=100)
        if problem is not None:
            faults.append(Fault("buses", f"the feature name {shorten(name)} {problem}"))
    for position, row in enumerate(rows):
        absent = [name for name in names if name not in row]
        if absent:
            listed = join_first([shorten(name) for name in absent], 5)
            problem = f"lacks {listed}, which other buses have"
            faults.append(Fault(f"buses[{position}].features", problem))
    values = [[row.get(name, math.nan) for name in names] for row in rows]
    return Features(names, np.array(values, dtype=np.float64).reshape(len(rows), len(names)))


def read_labels(buses: Sequence[BusIn], faults: list[Fault]) -> tuple[LabelSet, ...]:
    """Return the labels as one set named ``label``; nothing if no bus has a label."""
    texts = [None if _given(bus.label) is None else str(bus.label) for bus in buses]
    for position, text in enumerate(texts):
        problem = None if text is None else find_text_problem(text, _MOST_CLASS_CHARACTERS)
        if problem is not None:
            faults.append(Fault(f"buses[{position}].label", problem))
    class_names = sorted({text for text in texts if text is not None}, key=_class_order)
    if len(class_names) > MOST_CLASSES:
        faults.append(
            Fault("buses", f"{len(class_names)} classes exceed the limit of {MOST_CLASSES}")
        )
    if not class_names:
        return ()
    code_of: dict[str | None, int] = {name: code for code, name in enumerate(class_names)}
    codes = np.array([code_of.get(text, UNKNOWN_CLASS) for text in texts], dtype=np.int64)
    return (LabelSet(LABEL_SET, tuple(class_names), codes, _LABEL_DEFINITION),)


def _given(value: Any) -> Any:
    return None if value is UNSET else value


def _class_order(name: str) -> tuple[int, int, str]:
    """Order numbers by value, then texts alphabetically."""
    number = name.removeprefix("-")
    # A name that is too long is already a fault; int() would raise for it.
    if len(name) <= _MOST_CLASS_CHARACTERS and number.isascii() and number.isdigit():
        return 0, int(name), name
    return 1, 0, name
