"""Plausibility of the units of a file: warnings for numbers that look like another unit."""

from collections.abc import Iterator

import numpy as np

from app.power.tables import PowerTables

_HIGHEST_VOLTAGE_KV = 2000.0
_MOST_DEMAND_MW = 20_000.0
_DEMAND_PER_KV = 50.0
"""MW per kV of base voltage that a bus can hardly draw; beyond it the file may be in kW."""


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
    demand = np.abs(buses.demand)
    if np.any(demand > _MOST_DEMAND_MW):
        yield "unit: the demand of a bus exceeds 20 GW: it may be in kW"
    elif np.any((demand > _DEMAND_PER_KV * buses.base_kv) & (buses.base_kv > 0)):
        yield "unit: the demand of a bus is large for its voltage: it may be in kW"
    reactance = np.abs(tables.branches.reactance[tables.branches.in_service])
    if len(reactance) and np.median(reactance) > 10:
        yield "unit: reactances look like ohm, not p.u."
