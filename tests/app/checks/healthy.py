"""A healthy grid of forty substations, and ways to damage it."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from app.checks.checked_grid import CheckedGrid
from app.checks.registry import RULES, check_grid
from app.checks.report import Finding
from app.grid.grid import Columns, Grid, LabelSet, Substations
from app.power.case import make_case_of_grid
from app.power.flow import solve
from app.power.tables import BUS_TYPES, KIND_NAMES
from ml.arrays import FloatArray, IntArray

SITES = 40
"""Substations in a ring; each has a 110 kV bus "H0" ... and a 20 kV bus "L0" ..."""
LINES, TRANSFORMERS = range(SITES), range(SITES, 2 * SITES)
"""Rows of the branches: line i joins H(i) and H(i + 1), transformer 40 + i joins H(i) and L(i)."""
LOW = SITES
"""Position of the bus "L0"."""
_KM = 20.0
_DEGREES_PER_KM = 1 / 111.195
_FEATURES = ("Pd", "Qd", "Vm", "Va", "base_kv")
_BUS_COLUMNS = ("Gs", "Bs", "Pg", "Qg", "generators_in_service")
_BRANCH_COLUMNS = ("r", "x", "b", "rating", "tap", "shift")
_PER_UNIT = "p.u. of 100 MVA"


@cache
def make_healthy() -> CheckedGrid:
    """Return a grid on which no rule finds anything: a solved ring with two zones."""
    grid = _make_grid()
    checked = CheckedGrid(grid, (_make_types(), _make_zones()))
    case, start = make_case_of_grid(grid, checked.label_sets[0].classes)
    solution = solve(case, start)
    assert solution.converged
    features = grid.features.copy()
    features[:, 2] = np.abs(solution.voltages)
    features[:, 3] = np.rad2deg(np.angle(solution.voltages))
    return CheckedGrid(replace(grid, features=features), checked.label_sets)


def _make_grid() -> Grid:
    first = np.arange(SITES)
    ends = np.concatenate(
        [
            np.column_stack([first, (first + 1) % SITES]),
            np.column_stack([first, first + SITES]),
        ]
    )
    return Grid(
        name="healthy",
        source="test",
        bus_ids=tuple(f"{level}{site}" for level in "HL" for site in range(SITES)),
        aliases={},
        coordinates=_place_on_circle(),
        coordinate_system="geographic",
        feature_names=_FEATURES,
        feature_units=("MW", "Mvar", "p.u.", "degree", "kV"),
        features=_make_features(),
        ends=ends,
        weights=np.ones(2 * SITES),
        kinds=np.repeat([0, 1], SITES),
        kind_names=KIND_NAMES,
        bus_columns=Columns(_BUS_COLUMNS, ("MW", "Mvar", "MW", "Mvar", ""), _make_generation()),
        branch_columns=Columns(
            _BRANCH_COLUMNS, (_PER_UNIT,) * 3 + ("MVA", "", "degree"), _make_branches()
        ),
        substations=Substations(np.tile(first, 2), "file"),
    )


def _place_on_circle() -> FloatArray:
    """Return places on a circle at the equator, neighbours 20 km apart."""
    radius = _KM / (2 * np.sin(np.pi / SITES)) * _DEGREES_PER_KM
    angles = 2 * np.pi * np.arange(SITES) / SITES
    return np.tile(radius * np.column_stack([np.cos(angles), np.sin(angles)]), (2, 1))


def _make_features() -> FloatArray:
    features = np.zeros((2 * SITES, len(_FEATURES)))
    features[SITES:, :2] = (5.0, 1.0)
    features[:, 2] = 1.0
    features[:SITES, 4], features[SITES:, 4] = 110.0, 20.0
    return features


def _make_generation() -> FloatArray:
    columns = np.zeros((2 * SITES, len(_BUS_COLUMNS)))
    columns[[0, SITES // 2], 2] = 100.0
    columns[[0, SITES // 2], 4] = 1.0
    return columns


def _make_branches() -> FloatArray:
    """Return lines of 0.1 + 0.4j ohm/km and 2.8 microsiemens/km, and transformers of 10 %."""
    base = 110.0**2 / 100
    line = (0.1 * _KM / base, 0.4 * _KM / base, 2.8e-6 * _KM * base, 120.0, 1.0, 0.0)
    transformer = (0.01, 0.25, 0.0, 40.0, 1.0, 0.0)
    return np.array([line] * SITES + [transformer] * SITES)


def _make_types() -> LabelSet:
    types = np.zeros(2 * SITES, dtype=np.int64)
    types[0], types[SITES // 2] = BUS_TYPES.index("slack"), BUS_TYPES.index("PV")
    return LabelSet("bus_type", BUS_TYPES, types, "test")


def _make_zones() -> LabelSet:
    zones = np.tile(np.repeat([0, 1], SITES // 2), 2)
    return LabelSet("zone", ("north", "south"), zones, "test")


def set_bus(checked: CheckedGrid, column: str, values: Mapping[int, float]) -> CheckedGrid:
    """Return the grid with other values in a column of the buses."""
    grid = checked.grid
    if column in grid.feature_names:
        features = _put(grid.features, grid.feature_names.index(column), values)
        return replace(checked, grid=replace(grid, features=features))
    columns = _put_column(grid.bus_columns, column, values)
    return replace(checked, grid=replace(grid, bus_columns=columns))


def set_branch(checked: CheckedGrid, column: str, values: Mapping[int, float]) -> CheckedGrid:
    """Return the grid with other values in a column of the branches."""
    columns = _put_column(checked.grid.branch_columns, column, values)
    return replace(checked, grid=replace(checked.grid, branch_columns=columns))


def _put_column(columns: Columns, name: str, values: Mapping[int, float]) -> Columns:
    return replace(columns, values=_put(columns.values, columns.names.index(name), values))


def _put(table: FloatArray, column: int, values: Mapping[int, float]) -> FloatArray:
    changed = table.copy()
    changed[list(values), column] = list(values.values())
    return changed


def set_kind(checked: CheckedGrid, row: int, kind: str) -> CheckedGrid:
    """Return the grid with a branch of another kind."""
    kinds = checked.grid.kinds.copy()
    kinds[row] = KIND_NAMES.index(kind)
    return replace(checked, grid=replace(checked.grid, kinds=kinds))


def copy_branch(checked: CheckedGrid, row: int, ends: tuple[int, int]) -> CheckedGrid:
    """Return the grid with a copy of a branch between these buses."""
    return take_branches(checked, [*range(checked.grid.branch_count), row], {-1: ends})


def remove_branches(checked: CheckedGrid, *rows: int) -> CheckedGrid:
    """Return the grid without some branches."""
    return take_branches(checked, np.delete(np.arange(checked.grid.branch_count), rows).tolist())


def take_branches(
    checked: CheckedGrid, rows: list[int], ends: Mapping[int, tuple[int, int]] | None = None
) -> CheckedGrid:
    """Return the grid with the branches of these rows, some of them between other buses."""
    grid = checked.grid
    taken: IntArray = grid.ends[rows]
    for row, pair in (ends or {}).items():
        taken[row] = pair
    columns = replace(grid.branch_columns, values=grid.branch_columns.values[rows])
    changed = replace(
        grid,
        ends=taken,
        kinds=grid.kinds[rows],
        weights=grid.weights[rows],
        branch_columns=columns,
    )
    return replace(checked, grid=changed)


def set_label(checked: CheckedGrid, name: str, classes: Mapping[int, int]) -> CheckedGrid:
    """Return the grid with other classes of some buses in a label set."""
    return replace(
        checked,
        label_sets=[
            replace(one, classes=_relabel(one, classes)) if one.name == name else one
            for one in checked.label_sets
        ],
    )


def _relabel(label_set: LabelSet, classes: Mapping[int, int]) -> IntArray:
    changed = label_set.classes.copy()
    changed[list(classes)] = list(classes.values())
    return changed


def change_grid(checked: CheckedGrid, **parts: Any) -> CheckedGrid:
    """Return the grid with other parts."""
    return replace(checked, grid=replace(checked.grid, **parts))


def findings_of(rule: str, checked: CheckedGrid) -> list[Finding]:
    """Return what one rule finds; it must be able to run."""
    report = check_grid(checked, without=[name for name in RULES if name != rule])
    assert report.skipped == []
    return [finding for result in report.results for finding in result.findings]


def rows_of(findings: list[Finding]) -> list[list[int]]:
    """Return the rows of the branches of every finding."""
    return [[branch.row for branch in finding.branches] for finding in findings]


def buses_of(findings: list[Finding]) -> list[list[str]]:
    """Return the ids of the buses of every finding."""
    return [finding.buses for finding in findings]
