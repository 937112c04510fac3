"""Whether a file's own voltages solve its power flow: asked for with an upload."""

from typing import Any

import numpy as np

from app.power.tables import LINK, PowerTables, sum_by_bus
from app.power.flow import BASE_MVA, ComplexArray, PowerCase, measure_mismatch, solve
from ml.arrays import BoolArray, FloatArray

_SAME_VOLTAGE = 1e-3
_SMALLEST_IMPEDANCE = 1e-6
_SLACK = 2


def check_power_flow(tables: PowerTables, kept: BoolArray) -> dict[str, Any]:
    """Compare the voltages of a file, per unit of 100 MVA, with the power flow of its data.

    ``largest_mismatch_mva`` is what the file's voltages leave unbalanced at the worst bus that
    is not a slack; the solved voltages are those of a power flow started from them. Where the
    file does not give all voltages, it is only said whether a power flow finds some.
    """
    buses = tables.buses
    if not (buses.types == _SLACK).any():
        return {"done": False, "reason": "the file names no slack bus"}
    case = make_power_case(tables, kept & ~_find_direct_current(tables))
    if not np.isfinite(buses.magnitude + buses.angle).all():
        return _check_flat(case, buses.magnitude)
    angles = np.deg2rad(buses.angle)
    voltages = _complex(buses.magnitude * np.cos(angles), buses.magnitude * np.sin(angles))
    mismatch = np.abs(measure_mismatch(case, voltages)) * BASE_MVA
    # What a generator gives beyond its schedule is not the file's fault at slack and PV buses.
    free = case.types == 0
    worst = int(np.argmax(np.where(free, mismatch, -1.0)))
    solution = solve(case, voltages)
    told: dict[str, Any] = {
        "done": True,
        "largest_mismatch_mva": round(float(mismatch[worst]) if free.any() else 0.0, 3),
        "at_bus": buses.ids[worst],
        "converged": solution.converged,
        "voltages_solve_it": False,
    }
    if solution.converged:
        change = float(np.abs(np.abs(solution.voltages) - buses.magnitude).max())
        told["largest_voltage_change_pu"] = round(change, 6)
        told["voltages_solve_it"] = change < _SAME_VOLTAGE
    return told


def _check_flat(case: PowerCase, magnitude: FloatArray) -> dict[str, Any]:
    start = np.where(np.isfinite(magnitude), magnitude, 1.0)
    converged = solve(case, start.astype(np.complex128)).converged
    reason = "the file does not give all voltages: there is nothing to compare"
    return {"done": False, "reason": reason, "converged_from_flat_start": converged}


def _find_direct_current(tables: PowerTables) -> BoolArray:
    """Links without impedance are lines of direct current, which no AC power flow knows."""
    branches = tables.branches
    impedance = np.abs(branches.resistance) + np.abs(branches.reactance)
    direct: BoolArray = (branches.kinds == LINK) & (impedance == 0)
    return direct


def make_power_case(tables: PowerTables, kept: BoolArray) -> PowerCase:
    """Return the equations of the branches that are kept."""
    buses, branches, generators = tables.buses, tables.branches, tables.generators
    active = generators.in_service
    at = generators.buses[active]
    power = sum_by_bus(tables.bus_count, at, generators.power[active])
    reactive = sum_by_bus(tables.bus_count, at, generators.reactive_power[active])
    impedance = _complex(branches.resistance, branches.reactance)
    impedance[np.abs(impedance) < _SMALLEST_IMPEDANCE] = 1j * _SMALLEST_IMPEDANCE
    tap, shift = branches.tap, np.deg2rad(branches.shift)
    injection = _complex(power - buses.demand, reactive - buses.reactive_demand)
    return PowerCase(
        ends=branches.ends[kept],
        impedance=impedance[kept],
        charging=branches.charging[kept],
        ratio=_complex(tap * np.cos(shift), tap * np.sin(shift))[kept],
        shunt=_complex(buses.conductance, buses.susceptance) / BASE_MVA,
        injection=injection / BASE_MVA,
        types=buses.types,
    )


def _complex(real: FloatArray, imaginary: FloatArray) -> ComplexArray:
    return np.asarray(real + 1j * imaginary, dtype=np.complex128)
