"""Catalogue of label sets computed from a stored grid, each with its definition."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from app.errors import LabelsRejected
from app.grid.grid import UNKNOWN_CLASS, Grid, LabelSet
from app.ingest.build.power_labels import ROLE_DEFINITION, ROLE_NAMES, natural_order
from app.labels.contingencies import LONG_KINDS
from app.labels.feeders import FEEDER, find_feeder_problem, trace_feeders
from app.labels.text_labels import TextChoice, label_by_text
from app.labels.uploaded import MOST_CLASSES
from ml.arrays import BoolArray, FloatArray, IntArray
from ml.errors import Fault

_VOLTAGE_BOUNDS = (1.0, 35.0, 230.0)
_VOLTAGE_CLASSES = ("low voltage", "medium voltage", "high voltage", "extra-high voltage")
_BAND_BOUNDS = (0.98, 1.02)
_BANDS = ("low", "normal", "high")
_FROM_THE_FILE = ("area", "zone", "bus_type", "phases")


_TEXT_KINDS: dict[str, tuple[str, ...]] = {
    "feeder": ("feeder",),
    "subnet": ("subnet", "subnetwork"),
    "operator": ("operator", "owner", "utility", "tso", "dso"),
    "country": ("country", "country_code", "addr:country"),
    "substation_type": ("substation_type", "stype", "symbol", "type", "typ", "substation"),
    "fuel": ("fuel", "fuel_type", "carrier", "technology", "generator:source", "plant:source"),
}
"""Kinds that a text column of the file gives, and the names of the column, best first."""


def list_kinds() -> list[str]:
    """List the kinds that are computed at once; a grid may lack the columns that one needs."""
    return sorted((*CATALOGUE, *_TEXT_KINDS))


def compute_label_set(grid: Grid, kind: str, bus_types: LabelSet | None = None) -> LabelSet:
    """Return a label set of the catalogue; feeders are traced from the sources in ``bus_types``.

    Raises: LabelsRejected for an unknown kind, or a grid without the columns that it needs.
    """
    if kind in _FROM_THE_FILE:
        raise _refuse(
            kind, "comes only with the file of a grid, and the file of this grid has none"
        )
    if kind in _TEXT_KINDS:
        return replace(_take_text(grid, kind, bus_types), source="catalogue")
    make = CATALOGUE.get(kind)
    if make is None:
        kinds = ", ".join((*CATALOGUE, *_TEXT_KINDS, *_FROM_THE_FILE, *LONG_KINDS))
        raise _refuse(kind, f"is not in the catalogue: {kinds}")
    return replace(make(grid), source="catalogue")


def _make_role(grid: Grid) -> LabelSet:
    load, generator = _is_load(grid), _is_generator(grid)
    classes = np.where(generator, 2, np.where(load, 1, 0)).astype(np.int64)
    return LabelSet("role", ROLE_NAMES, classes, ROLE_DEFINITION)


def _make_role4(grid: Grid) -> LabelSet:
    classes = (_is_load(grid) + 2 * _is_generator(grid).astype(np.int64)).astype(np.int64)
    names = ("neither", "load", "generator", "both")
    definition = (
        "whether Pd or Qd is not zero, and whether a generator is connected, in service or not"
    )
    return LabelSet("role4", names, classes, definition)


def _make_voltage_class(grid: Grid) -> LabelSet:
    voltages = _need(grid, "base_kv", "voltage_class")
    classes = np.searchsorted(_VOLTAGE_BOUNDS, voltages, side="left")
    definition = "base voltage up to 1, 35 and 230 kV, and above"
    return _without_empty("voltage_class", _VOLTAGE_CLASSES, classes, definition)


def _make_voltage_level(grid: Grid) -> LabelSet:
    voltages = _need(grid, "base_kv", "voltage_level")
    levels = np.array([f"{voltage:.6g} kV" if voltage > 0 else "" for voltage in voltages])
    names = sorted(set(levels[levels != ""].tolist()), key=natural_order)
    if not 2 <= len(names) <= MOST_CLASSES:
        problem = f"needs from 2 to {MOST_CLASSES:,} base voltages; this grid has {len(names):,}"
        raise _refuse("voltage_level", problem)
    code_of = {name: code for code, name in enumerate(names)} | {"": UNKNOWN_CLASS}
    classes = np.array([code_of[level] for level in levels], dtype=np.int64)
    return LabelSet("voltage_level", tuple(names), classes, "base voltage in kV")


def _take_text(grid: Grid, kind: str, bus_types: LabelSet | None) -> LabelSet:
    """Return labels of a text column of the file; without one, feeders are traced."""
    by_name = {name.casefold(): name for name in grid.text_columns}
    column = next((by_name[name] for name in _TEXT_KINDS[kind] if name in by_name), None)
    if column is not None:
        return label_by_text(grid, TextChoice(column, kind))[0]
    if kind != FEEDER:
        offered = ", ".join(grid.text_columns) or "none"
        names = ", ".join(_TEXT_KINDS[kind])
        raise _refuse(kind, f"needs one of the text columns {names}; this grid has: {offered}")
    problem = find_feeder_problem(grid, bus_types)
    if problem or bus_types is None:
        raise _refuse(kind, problem or "needs a source")
    traced = trace_feeders(grid, bus_types)
    if not 2 <= len(traced.class_names) <= MOST_CLASSES:
        problem = f"needs from 2 to {MOST_CLASSES:,} feeders; this grid has "
        raise _refuse(kind, f"{problem}{len(traced.class_names):,}")
    return traced


def _make_voltage_band(grid: Grid) -> LabelSet:
    magnitudes = _need(grid, "Vm", "voltage_band")
    classes = np.searchsorted(_BAND_BOUNDS, magnitudes, side="right")
    definition = "base-case voltage below 0.98, up to 1.02 and above, p.u."
    return _without_empty("voltage_band", _BANDS, classes, definition)


def _make_articulation(grid: Grid) -> LabelSet:
    import igraph

    graph = igraph.Graph(n=grid.bus_count, edges=grid.ends.tolist())
    classes = np.zeros(grid.bus_count, dtype=np.int64)
    classes[graph.articulation_points()] = 1
    definition = "cut if the loss of the bus splits its island"
    return LabelSet("articulation", ("inner", "cut"), classes, definition)


def _is_load(grid: Grid) -> BoolArray:
    active, reactive = _need(grid, "Pd", "role"), grid.find_column("Qd")
    drawn: BoolArray = active != 0
    return drawn if reactive is None else drawn | (reactive != 0)


def _is_generator(grid: Grid) -> BoolArray:
    generating: BoolArray = _need(grid, "generators", "role") > 0
    return generating


def _need(grid: Grid, column: str, kind: str) -> FloatArray:
    values = grid.find_column(column)
    if values is None:
        raise _refuse(kind, f"needs the column {column!r}, which this grid does not have")
    return values


def _without_empty(
    name: str, class_names: Sequence[str], classes: IntArray, definition: str
) -> LabelSet:
    used = np.unique(classes)
    names = tuple(class_names[position] for position in used)
    return LabelSet(name, names, np.searchsorted(used, classes).astype(np.int64), definition)


def _refuse(kind: str, problem: str) -> LabelsRejected:
    return LabelsRejected(
        "These labels cannot be computed for this grid.", [Fault("kind", f"{kind!r} {problem}")]
    )


CATALOGUE: dict[str, Callable[[Grid], LabelSet]] = {
    "role": _make_role,
    "role4": _make_role4,
    "voltage_class": _make_voltage_class,
    "voltage_level": _make_voltage_level,
    "voltage_band": _make_voltage_band,
    "articulation": _make_articulation,
}
