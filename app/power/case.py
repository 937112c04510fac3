"""Power-flow cases made of the tables of a file, or of the columns of a stored grid."""

from collections.abc import Mapping

import numpy as np

from app.grid.grid import Grid
from app.power.flow import BASE_MVA, ComplexArray, PowerCase
from app.power.tables import PowerTables, sum_by_bus
from ml.arrays import BoolArray, FloatArray, IntArray

BUS_COLUMNS = ("Pd", "Qd", "Vm", "Va", "Pg", "Qg", "Gs", "Bs")
BRANCH_COLUMNS = ("r", "x", "b", "tap", "shift")
_SMALLEST_IMPEDANCE = 1e-6
"""Per unit; a branch without impedance gets this reactance."""


def make_case_of_tables(tables: PowerTables, kept: BoolArray) -> PowerCase:
    """Return the power-flow case of the branches that are kept; tables on 100 MVA."""
    buses, branches, generators = tables.buses, tables.branches, tables.generators
    active = generators.in_service
    at = generators.buses[active]
    bus = {
        "Pd": buses.demand,
        "Qd": buses.reactive_demand,
        "Pg": sum_by_bus(tables.bus_count, at, generators.power[active]),
        "Qg": sum_by_bus(tables.bus_count, at, generators.reactive_power[active]),
        "Gs": buses.conductance,
        "Bs": buses.susceptance,
    }
    branch = {
        "r": branches.resistance[kept],
        "x": branches.reactance[kept],
        "b": branches.charging[kept],
        "tap": branches.tap[kept],
        "shift": branches.shift[kept],
    }
    return _make_case(branches.ends[kept], bus, branch, buses.types)


def make_case_of_grid(grid: Grid, types: IntArray) -> tuple[PowerCase, ComplexArray]:
    """Return the power-flow case of a stored grid that lacks no column, and its voltages."""
    bus = {name: grid.find_column(name) for name in BUS_COLUMNS}
    given = {name: column for name, column in bus.items() if column is not None}
    columns = grid.branch_columns
    branch = {name: columns.values[:, columns.names.index(name)] for name in BRANCH_COLUMNS}
    case = _make_case(grid.ends, given, branch, types)
    return case, make_phasors(given["Vm"], given["Va"])


def list_missing_columns(grid: Grid) -> list[str]:
    """Name the columns that a power flow needs and the grid does not have."""
    bus = [f"the bus column {name!r}" for name in BUS_COLUMNS if grid.find_column(name) is None]
    names = grid.branch_columns.names
    return bus + [f"the branch column {name!r}" for name in BRANCH_COLUMNS if name not in names]


def make_phasors(magnitude: FloatArray, degrees: FloatArray) -> ComplexArray:
    """Return complex numbers of magnitudes and angles in degrees: voltages, tap ratios."""
    angles = np.deg2rad(degrees)
    return _make_complex(magnitude * np.cos(angles), magnitude * np.sin(angles))


def _make_case(
    ends: IntArray,
    bus: Mapping[str, FloatArray],
    branch: Mapping[str, FloatArray],
    types: IntArray,
) -> PowerCase:
    impedance = _make_complex(branch["r"], branch["x"])
    impedance[np.abs(impedance) < _SMALLEST_IMPEDANCE] = 1j * _SMALLEST_IMPEDANCE
    return PowerCase(
        ends=ends,
        impedance=impedance,
        charging=branch["b"],
        ratio=make_phasors(branch["tap"], branch["shift"]),
        shunt=_make_complex(bus["Gs"], bus["Bs"]) / BASE_MVA,
        injection=_make_complex(bus["Pg"] - bus["Pd"], bus["Qg"] - bus["Qd"]) / BASE_MVA,
        types=types,
    )


def _make_complex(real: FloatArray, imaginary: FloatArray) -> ComplexArray:
    return np.asarray(real + 1j * imaginary, dtype=np.complex128)
