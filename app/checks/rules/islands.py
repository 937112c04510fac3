"""Rules on islands: without a source, without use, single buses."""

import numpy as np

from app.checks.checked_grid import CheckedGrid
from app.checks.rule import Hits, Rule, at_buses, split_groups
from app.power.tables import sum_by_bus
from ml.arrays import BoolArray, FloatArray, IntArray


def _find_without_source(checked: CheckedGrid) -> Hits:
    demand = _sum_by_island(checked, np.abs(checked.bus("Pd")))
    return _describe(checked, ~_have_source(checked) & (demand > 0), demand)


def _find_unused(checked: CheckedGrid) -> Hits:
    demand = _sum_by_island(checked, np.abs(checked.bus("Pd")))
    where = ~_have_source(checked) & (demand == 0)
    return _describe(checked, where, _count_buses(checked).astype(float))


def _find_isolated(checked: CheckedGrid) -> Hits:
    where: BoolArray = checked.degree == 0
    types = checked.find_labels("bus_type")
    if types is not None and "isolated" in types.class_names:
        # The file itself calls these buses isolated.
        where = where & (types.classes != types.class_names.index("isolated"))
    power = np.abs(checked.bus("Pd")) + np.abs(checked.bus("Pg"))
    columns = {"demand": "Pd", "generation": "Pg"}
    known = {
        title: checked.bus(name)
        for title, name in columns.items()
        if checked.grid.find_column(name) is not None
    }
    return at_buses(where, power, **known)


def _describe(checked: CheckedGrid, where: BoolArray, worst_by: FloatArray) -> Hits:
    sizes = _count_buses(checked)
    order = np.argsort(-worst_by, kind="stable")
    chosen = order[(where & (sizes > 1))[order]]
    demand = _sum_by_island(checked, checked.bus("Pd"))
    return Hits(
        len(chosen),
        buses=split_groups(checked.islands, chosen.tolist()),
        numbers={"buses": sizes[chosen], "demand": demand[chosen]},
    )


def _have_source(checked: CheckedGrid) -> BoolArray:
    source = (checked.bus("generators_in_service") > 0) | (checked.bus("Pg") > 0)
    types = checked.find_labels("bus_type")
    if types is not None:
        source = source | np.isin(types.classes, _positions(types.class_names, ("PV", "slack")))
    source = source | _feeds_by_link(checked)
    return _sum_by_island(checked, source.astype(float)) > 0


def _feeds_by_link(checked: CheckedGrid) -> BoolArray:
    """Return buses at the end of a link, which may be a direct-current line, (N,)."""
    fed = np.zeros(checked.grid.bus_count, dtype=np.bool_)
    fed[checked.grid.ends[checked.is_kind("link")].ravel()] = True
    return fed


def _positions(names: tuple[str, ...], wanted: tuple[str, ...]) -> list[int]:
    return [names.index(name) for name in wanted if name in names]


def _sum_by_island(checked: CheckedGrid, values: FloatArray) -> FloatArray:
    return sum_by_bus(int(checked.islands.max(initial=-1)) + 1, checked.islands, values)


def _count_buses(checked: CheckedGrid) -> IntArray:
    return np.bincount(checked.islands)


RULES = (
    Rule(
        name="island-without-source",
        severity="error",
        title="Island with demand and without a source",
        why="Nothing feeds the demand of these buses: a power flow of the island has no solution.",
        fix="Close the switch or add the branch that joins the island, or add its source.",
        sentence="an island of {buses:.0f} buses draws {demand:.4g} MW and has no generator",
        find=_find_without_source,
        needs=("Pd", "generators_in_service"),
    ),
    Rule(
        name="island-unused",
        severity="note",
        title="Island without demand and without a source",
        why="The buses are out of use, or a branch to them is missing. They add classes and "
        "features to a model that have nothing to do with the rest of the grid.",
        fix="Leave the island out, or add the branch that joins it.",
        sentence="an island of {buses:.0f} buses has neither demand nor generators",
        find=_find_unused,
        needs=("Pd", "generators_in_service"),
    ),
    Rule(
        name="isolated-bus",
        severity="warning",
        title="Bus without branches",
        why="A bus without branches takes no part in any flow, and a graph method learns nothing "
        "for it. Buses that the file itself calls isolated are not listed.",
        fix="Add the missing branch, or remove the bus.",
        sentence="{element} has no branch",
        find=_find_isolated,
    ),
)
