"""Power-flow check of an upload: whether the voltages of the file solve its power flow."""

import numpy as np

from app.grid.report import FlowCheck
from app.power.case import make_case_of_tables, make_phasors
from app.power.flow import BASE_MVA, SLACK, PowerCase, measure_mismatch, solve
from app.power.tables import LINK, PowerTables
from ml.arrays import BoolArray, FloatArray

_SAME_VOLTAGE = 1e-3


def check_power_flow(tables: PowerTables, kept: BoolArray) -> FlowCheck:
    """Compare the voltages of a file, per unit of 100 MVA, with the power flow of its data.

    ``largest_mismatch_mva`` is the power that the file's voltages leave unbalanced at the worst
    PQ bus; the solved voltages are those of a power flow started from the file's. If the file
    lacks voltages, the report only says whether a power flow from a flat start converges.
    """
    buses = tables.buses
    if "x" in tables.absent:
        return FlowCheck(done=False, reason="the format has no impedances")
    if not (buses.types == SLACK).any():
        return FlowCheck(done=False, reason="the file names no slack bus")
    case = make_case_of_tables(tables, kept & ~_find_direct_current(tables))
    if not np.isfinite(buses.magnitude + buses.angle).all():
        return _check_flat(case, buses.magnitude)
    voltages = make_phasors(buses.magnitude, buses.angle)
    mismatch = np.abs(measure_mismatch(case, voltages)) * BASE_MVA
    # Slack and PV buses may differ from their schedule: that is not a fault of the file.
    free = case.types == 0
    worst = int(np.argmax(np.where(free, mismatch, -1.0)))
    solution = solve(case, voltages)
    change = float(np.abs(np.abs(solution.voltages) - buses.magnitude).max())
    return FlowCheck(
        done=True,
        largest_mismatch_mva=round(float(mismatch[worst]) if free.any() else 0.0, 3),
        at_bus=buses.ids[worst],
        converged=solution.converged,
        voltages_solve_it=solution.converged and change < _SAME_VOLTAGE,
        largest_voltage_change_pu=round(change, 6) if solution.converged else None,
    )


def _check_flat(case: PowerCase, magnitude: FloatArray) -> FlowCheck:
    start = np.where(np.isfinite(magnitude), magnitude, 1.0)
    converged = solve(case, start.astype(np.complex128)).converged
    reason = "the file does not give all voltages: there is nothing to compare"
    return FlowCheck(done=False, reason=reason, converged_from_flat_start=converged)


def _find_direct_current(tables: PowerTables) -> BoolArray:
    """Find links without impedance: direct-current lines, which have no place in an AC flow."""
    branches = tables.branches
    impedance = np.abs(branches.resistance) + np.abs(branches.reactance)
    direct: BoolArray = (branches.kinds == LINK) & (impedance == 0)
    return direct
