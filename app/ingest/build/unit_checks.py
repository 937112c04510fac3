"""Plausibility of the units of a file: warnings for numbers that look like another unit."""

from collections.abc import Iterator

import numpy as np

from app.power.tables import BUS_TYPES, PowerTables

_SLACK = BUS_TYPES.index("slack")
_HIGHEST_VOLTAGE_KV = 2000.0
_DEMAND_PER_KV = 2.5
"""MW per kV of base voltage; the median of the load buses is below 1.7 in all cases of MATPOWER."""
_DEMAND_PER_CAPACITY = 10.0
_LEAST_SHIFTS = 3
_SMALLEST_SHIFT = 0.8
"""Degrees; the PEGASE cases of MATPOWER have up to 74 phase shifts, all of them below."""


def check_units(tables: PowerTables) -> Iterator[str]:
    """Return a warning for every quantity in a doubtful unit; nothing is changed."""
    buses = tables.buses
    voltages = buses.magnitude[np.isfinite(buses.magnitude) & (buses.types != 3)]
    if len(voltages) and (voltages.max() > 2.0 or np.median(voltages) < 0.5):
        yield "unit: voltages do not look like p.u."
    if np.any(buses.base_kv <= 0):
        yield f"unit: {np.count_nonzero(buses.base_kv <= 0)} bus(es) have no base voltage"
    elif buses.base_kv.max() > _HIGHEST_VOLTAGE_KV:
        yield "unit: base voltages look like V, not kV"
    if _exceeds_capacity(tables):
        yield "unit: the demand exceeds ten times the generating capacity: it may be in kW"
    elif _is_large_for_voltage(tables):
        yield "unit: most demands are large for the voltage of their bus: they may be in kW"
    reactance = np.abs(tables.branches.reactance[tables.branches.in_service])
    if len(reactance) and np.median(reactance) > 10:
        yield "unit: reactances look like ohm, not p.u."
    shifts = np.abs(tables.branches.shift[tables.branches.shift != 0])
    if len(shifts) >= _LEAST_SHIFTS and shifts.max() < _SMALLEST_SHIFT:
        yield f"unit: all {len(shifts)} phase shifts are below 0.8 degrees: they may be in radians"


def _exceeds_capacity(tables: PowerTables) -> bool:
    """Compare the demand with the capacity, if the file states that of the slack generators."""
    generators = tables.generators
    at_slack = generators.in_service & (tables.buses.types[generators.buses] == _SLACK)
    if not generators.capacity[at_slack].sum() > 0:
        return False
    capacity = float(generators.capacity[generators.in_service].sum())
    return bool(tables.buses.demand.sum() > _DEMAND_PER_CAPACITY * capacity)


def _is_large_for_voltage(tables: PowerTables) -> bool:
    """Judge by the median: a reduced grid has a few buses that stand for whole regions."""
    buses = tables.buses
    draws = (buses.demand != 0) & (buses.base_kv > 0)
    if not draws.any():
        return False
    return bool(np.median(np.abs(buses.demand[draws]) / buses.base_kv[draws]) > _DEMAND_PER_KV)
