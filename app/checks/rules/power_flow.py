"""Rule on the power flow: whether the stored voltages balance demand and generation."""

from dataclasses import replace

import numpy as np

from app.checks.checked_grid import BUS_TYPES as NEEDS_BUS_TYPES
from app.checks.checked_grid import CheckedGrid
from app.checks.rule import Cells, Hits, Rule
from app.grid.grid import Columns
from app.power.case import BRANCH_COLUMNS, BUS_COLUMNS, make_case_of_grid
from app.power.flow import BASE_MVA, PowerCase, measure_mismatch
from app.power.tables import sum_by_bus
from ml.arrays import BoolArray, FloatArray

_MOST_MVA = 5.0
_MOST_SHARE = 0.02
"""Of the largest demand of a bus; files round voltages, and models of transformers differ."""
_ROUNDING = 2e-4
"""Error of a voltage that is written with two decimals of a degree, at both ends of a branch; times
the admittance of a bus it is power that only looks unbalanced."""
_SHOWN = 5


def _find_mismatch(checked: CheckedGrid) -> Hits:
    grid = checked.grid
    types = checked.find_labels("bus_type")
    if types is None:
        return Hits()
    direct = _find_direct_current(checked)
    kept = replace(
        grid,
        ends=grid.ends[~direct],
        branch_columns=Columns(
            grid.branch_columns.names,
            grid.branch_columns.units,
            grid.branch_columns.values[~direct],
        ),
    )
    case, voltages = make_case_of_grid(kept, types.classes)
    with np.errstate(all="ignore"):
        mismatch = np.abs(measure_mismatch(case, voltages)) * BASE_MVA
    # Buses with a generator may differ from their schedule; direct current is not modelled.
    free = case.types == 0
    free[grid.ends[direct].ravel()] = False
    demand = np.hypot(checked.bus("Pd"), checked.bus("Qd"))
    limit = max(_MOST_MVA, _MOST_SHARE * float(demand.max(initial=0.0)))
    mismatch = np.where(free, np.nan_to_num(mismatch, nan=np.inf), 0.0)
    order = np.argsort(-mismatch, kind="stable")
    worst = order[(mismatch > np.maximum(limit, _measure_rounding(case)))[order]]
    if not len(worst):
        return Hits()
    shown = ", ".join(f"{grid.bus_ids[bus]} ({mismatch[bus]:.4g} MVA)" for bus in worst[:_SHOWN])
    numbers: dict[str, Cells] = {
        "buses": np.array([len(worst)]),
        "largest_mva": mismatch[worst[:1]],
        "limit_mva": np.array([limit]),
        "worst": [shown],
    }
    return Hits(1, buses=[worst], numbers=numbers)


def _measure_rounding(case: PowerCase) -> FloatArray:
    """Return the power at every bus that rounded voltages may leave unbalanced in MVA, (N,)."""
    admittance, count = 1 / np.abs(case.impedance), len(case.types)
    return _ROUNDING * BASE_MVA * sum_by_bus(count, case.ends.ravel(), np.repeat(admittance, 2))


def _find_direct_current(checked: CheckedGrid) -> BoolArray:
    impedance = np.abs(checked.branch("r")) + np.abs(checked.branch("x"))
    direct: BoolArray = checked.is_kind("link") & (impedance == 0)
    return direct


RULES = (
    Rule(
        name="power-flow-mismatch",
        severity="warning",
        title="Voltages that do not solve the power flow",
        why="The stored voltages leave power unbalanced at buses without a generator: they are a "
        "flat start, belong to another state of the grid, or a branch is wrong near the worst "
        "bus. Vm and Va are then poor features.",
        fix="Solve the power flow before the export, or train without Vm and Va; begin to search "
        "at the buses with the largest mismatch.",
        sentence="{buses:.0f} buses miss more than {limit_mva:.3g} MVA; worst: {worst}",
        find=_find_mismatch,
        needs=(NEEDS_BUS_TYPES, *BUS_COLUMNS, *BRANCH_COLUMNS),
    ),
)
