"""The power flow against pandapower, and against the voltages of solved files."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.export.pandapower_writer import write_pandapower
from app.export.sheet import Exported
from app.grid.grid import Columns
from app.grid.report import ReadGrid
from app.ingest.formats.matpower import reader as matpower
from app.power.case import list_missing_columns, make_case_of_grid
from app.power.flow import PowerCase, measure_mismatch, solve
from app.power.flow_klu import choose_solver
from app.power.tables import LINE
from tests.app.ingest.requests import ask_file

_OUTAGES = """
import sys, pandapower
net = pandapower.from_json_string(sys.stdin.read())
voltages = []
for line in net.line.index[:12]:
    net.line.loc[line, "in_service"] = False
    pandapower.runpp(net, numba=False)
    voltages.append(net.res_bus.vm_pu.tolist())
    net.line.loc[line, "in_service"] = True
print(voltages)
"""


def _read(folder: Path, name: str) -> ReadGrid:
    return matpower.read(ask_file("matpower", folder / f"{name}.m"))


def _two_buses(demand: complex) -> PowerCase:
    """A slack bus and a load behind j0.1 p.u."""
    return PowerCase(
        ends=np.array([[0, 1]]),
        impedance=np.array([0.1j]),
        charging=np.zeros(1),
        ratio=np.ones(1, dtype=np.complex128),
        shunt=np.zeros(2, dtype=np.complex128),
        injection=np.array([0, -demand]),
        types=np.array([2, 0]),
    )


def test_two_buses_have_the_voltage_of_the_quadratic_equation() -> None:
    # V^4 + V^2 (2 Q X - 1) + X^2 (P^2 + Q^2) = 0 with X = 0.1, P = 1, Q = 0: V^2 = 0.98990.
    case = _two_buses(1.0)
    solution = solve(case, np.ones(2, dtype=np.complex128))
    assert solution.converged
    assert np.abs(solution.voltages[1]) == pytest.approx(np.sqrt((1 + np.sqrt(0.96)) / 2))
    assert np.abs(measure_mismatch(case, solution.voltages)[1]) < 1e-6


def test_more_demand_than_the_line_can_carry_has_no_solution() -> None:
    # The limit of P at Q = 0 is 1 / (2 X) = 5 p.u.
    assert solve(_two_buses(4.9), np.ones(2, dtype=np.complex128)).converged
    assert not solve(_two_buses(5.1), np.ones(2, dtype=np.complex128)).converged


def test_missing_columns_are_named(matpower_folder: Path) -> None:
    read_grid = _read(matpower_folder, "case14")
    assert list_missing_columns(read_grid.grid) == []
    bare = replace(read_grid.grid, bus_columns=Columns(), branch_columns=Columns())
    missing = list_missing_columns(bare)
    assert missing[:4] == [f"the bus column {name!r}" for name in ("Pg", "Qg", "Gs", "Bs")]
    assert len(missing) == 4 + 5


def test_voltages_after_an_outage_are_those_of_pandapower(matpower_folder: Path) -> None:
    read_grid = _read(matpower_folder, "case39")
    types = next(one for one in read_grid.label_sets if one.name == "bus_type")
    net = json.dumps(write_pandapower(Exported(read_grid.grid, read_grid.label_sets, None)))
    command = [sys.executable, "-W", "ignore", "-c", _OUTAGES]
    done = subprocess.run(command, input=net, capture_output=True, text=True, check=True)
    case, start = make_case_of_grid(read_grid.grid, types.classes)
    lines = np.flatnonzero(read_grid.grid.kinds == LINE)
    for line, theirs in enumerate(json.loads(done.stdout)):
        in_service = np.ones(read_grid.grid.branch_count, dtype=np.bool_)
        in_service[lines[line]] = False
        for solver in (solve, choose_solver()):
            ours = solver(case, start, in_service)
            assert ours.converged
            np.testing.assert_allclose(np.abs(ours.voltages), theirs, atol=1e-6)


def test_the_power_flow_of_a_stored_grid_gives_the_voltages_of_its_file(
    matpower_folder: Path,
) -> None:
    read_grid = _read(matpower_folder, "case_ACTIVSg200")
    types = next(one for one in read_grid.label_sets if one.name == "bus_type")
    case, voltages = make_case_of_grid(read_grid.grid, types.classes)
    flat = np.where(types.classes == 0, 1.0 + 0j, np.abs(voltages) + 0j)
    solution = solve(case, flat)
    assert solution.converged
    np.testing.assert_allclose(np.abs(solution.voltages), np.abs(voltages), atol=1e-3)
