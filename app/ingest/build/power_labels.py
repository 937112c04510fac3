"""Label sets that come with a power-system file: role, bus type, area, zone, phases."""

from collections.abc import Sequence

import numpy as np

from app.grid.grid import UNKNOWN_CLASS, LabelSet
from app.power.tables import BUS_TYPES, PowerTables
from ml.arrays import IntArray

ROLE_NAMES = ("neither", "load", "generator")
ROLE_DEFINITION = (
    "generator: a generator is connected, in service or not; else load: Pd or Qd is not zero; "
    "else neither"
)

_DEFINITIONS = {
    "phases": "phases of the bus, traced from the source through lines and transformers; a "
    "split-phase secondary has the phase of its primary"
}


def make_label_sets(tables: PowerTables) -> tuple[LabelSet, ...]:
    """Return the label sets of a file; a column with a single class makes none."""
    label_sets = []
    if "Pd" not in tables.absent:
        label_sets.append(LabelSet("role", ROLE_NAMES, _find_roles(tables), ROLE_DEFINITION))
    types = tables.buses.types
    if len(set(types[types >= 0].tolist())) > 1:
        definition = "type of the bus given by the file"
        label_sets.append(LabelSet("bus_type", BUS_TYPES, types, definition))
    for kind, names in tables.buses.regions.items():
        classes = sorted({name for name in names if name}, key=natural_order)
        if len(classes) > 1:
            positions = position_in(classes, names)
            definition = _DEFINITIONS.get(kind, f"{kind} of the bus given by the file")
            label_sets.append(LabelSet(kind, tuple(classes), positions, definition))
    return tuple(label_sets)


def _find_roles(tables: PowerTables) -> IntArray:
    buses = tables.buses
    draws = (buses.demand != 0) | (buses.reactive_demand != 0)
    roles: IntArray = np.where(draws, 1, 0).astype(np.int64)
    roles[tables.generators.buses] = ROLE_NAMES.index("generator")
    return roles


def position_in(classes: Sequence[str], names: Sequence[str]) -> IntArray:
    """Return the position of every name in the classes; -1 for an unknown name."""
    place = {name: position for position, name in enumerate(classes)}
    return np.array([place.get(name, UNKNOWN_CLASS) for name in names], dtype=np.int64)


def natural_order(name: str) -> tuple[float, str]:
    """Sort numbers by value and before words."""
    return (float(name), name) if name.isdecimal() and name.isascii() else (np.inf, name)
