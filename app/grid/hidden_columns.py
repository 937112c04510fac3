"""Columns that give a label away: each label set hides them from the features of its models.

A label computed from a column is learnt from that column by a threshold, which says nothing
about the buses without a label. Rules go by the name of the label set; a set made of a column,
and a set whose author names columns, stores them.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from app.errors import LabelsRejected
from app.grid.grid import Columns, Grid, LabelSet
from app.grid.listing import join_first
from app.grid.text_rules import shorten
from ml.errors import Fault

HiddenColumns = dict[str, str]
"""Hidden columns with the reason."""

_VOLTAGE_UNITS = ("kv", "v")
_VOLTAGES = (
    *("basekv", "kv", "vn", "vnkv", "vnom", "un", "volt", "voltage", "voltagekv", "voltlvl"),
    *("voltagelevel", "nominalvoltage", "ratedvoltage", "nominalkv", "vmr"),
)
_VOLTAGE_TEXT = re.compile(r"volt|(^|[^a-z])kv([^a-z]|$)")
_MAGNITUDES = ("Vm", "vm_pu", "v_mag", "voltage_pu")
_GENERATION = ("Pg", "Qg", "Pmax", "generators", "generators_in_service", "distance_to_generation")
_SIMPLE = re.compile(r"[^0-9a-z]+")
_NOMINAL_VOLTAGE = "it is the nominal voltage"
_GENERATES = "it shows whether a generator is connected"


def list_hidden_columns(grid: Grid, label_set: LabelSet) -> HiddenColumns:
    """Return the numeric columns of the grid that the label set hides, with the reasons."""
    units = dict(zip(_list_columns(grid), _list_units(grid), strict=True))
    rule = _RULES.get(label_set.name, _hide_nothing)
    hidden = rule(units) | _hide_same_name(units, label_set.name) | dict(label_set.hides)
    return {name: hidden[name] for name in units if name in hidden}


def hide_column(grid: Grid, column: str) -> HiddenColumns:
    """Return what a label set made of a column hides: the column, and voltages if it is one."""
    units = dict(zip(_list_columns(grid), _list_units(grid), strict=True))
    own = {column: "the label is made of this column"} if column in units else {}
    is_voltage = _VOLTAGE_TEXT.search(column.casefold()) or _is_voltage(column, units.get(column))
    return (_hide_voltages(units) if is_voltage else {}) | own


def hide_named(grid: Grid, columns: Sequence[str]) -> HiddenColumns:
    """Return the columns that the author of a label set hides. Raises: LabelsRejected."""
    available = _list_columns(grid)
    unknown = [name for name in columns if name not in available]
    if unknown:
        offered = join_first(available) or "none"
        faults = [
            Fault(
                "hides", f"{shorten(name)} is not a numeric column of this grid; it has: {offered}"
            )
            for name in unknown
        ]
        raise LabelsRejected("The labels have errors.", faults)
    return dict.fromkeys(columns, "the author of the labels hides it")


def without_columns(grid: Grid, columns: Collection[str]) -> Grid:
    """Return the grid without some of its numeric columns."""
    kept = [at for at, name in enumerate(grid.feature_names) if name not in columns]
    others = [at for at, name in enumerate(grid.bus_columns.names) if name not in columns]
    if len(kept) + len(others) == len(_list_columns(grid)):
        return grid
    return replace(
        grid,
        feature_names=tuple(grid.feature_names[at] for at in kept),
        feature_units=tuple(grid.feature_units[at] for at in kept),
        features=grid.features[:, kept],
        bus_columns=Columns(
            tuple(grid.bus_columns.names[at] for at in others),
            tuple(grid.bus_columns.units[at] for at in others),
            grid.bus_columns.values[:, others] if others else np.zeros((0, 0)),
        ),
    )


def _list_columns(grid: Grid) -> tuple[str, ...]:
    return (*grid.feature_names, *grid.bus_columns.names)


def _list_units(grid: Grid) -> tuple[str, ...]:
    return (*grid.feature_units, *grid.bus_columns.units)


def _is_voltage(name: str, unit: str | None) -> bool:
    return (unit or "").casefold() in _VOLTAGE_UNITS or _simplify(name) in _VOLTAGES


def _hide_voltages(units: Mapping[str, str]) -> HiddenColumns:
    return {name: _NOMINAL_VOLTAGE for name, unit in units.items() if _is_voltage(name, unit)}


def _hide_magnitudes(units: Mapping[str, str]) -> HiddenColumns:
    return {name: "the classes are ranges of it" for name in units if name in _MAGNITUDES}


def _hide_generation(units: Mapping[str, str]) -> HiddenColumns:
    return {name: _GENERATES for name in units if name in _GENERATION}


def _hide_nothing(_units: Mapping[str, str]) -> HiddenColumns:
    return {}


def _hide_same_name(units: Mapping[str, str], label: str) -> HiddenColumns:
    own = _simplify(label)
    return {name: "it has the name of the label" for name in units if _simplify(name) == own}


def _simplify(name: str) -> str:
    return _SIMPLE.sub("", name.casefold()) or name


_RULES: dict[str, Callable[[Mapping[str, str]], HiddenColumns]] = {
    "voltage_level": _hide_voltages,
    "voltage_class": _hide_voltages,
    "voltage_band": _hide_magnitudes,
    "role": _hide_generation,
    "role4": _hide_generation,
    "bus_type": _hide_generation,
}
