"""Impedances, ratios and shifts against the matrix that pandapower's own power flow solves."""

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from app.grid.report import ReadGrid
from app.ingest.formats.pandapower import network as pandapower_json
from tests.app.ingest.requests import ask, report_of

_WRITE = """
import json, sys, pandapower, pandapower.networks as networks

def make_taps():
    net = pandapower.create_empty_network(sn_mva=10)
    high = pandapower.create_bus(net, 110, name="high")
    pandapower.create_ext_grid(net, high, vm_pu=1.02)
    common = {"sn_mva": 40, "vk_percent": 12, "vkr_percent": 0.4, "hv_bus": high}
    changers = (
        {"tap_side": "hv", "tap_pos": 3, "tap_neutral": 0, "tap_step_percent": 1.5,
         "tap_changer_type": "Ratio"},
        {"tap_side": "lv", "tap_pos": -2, "tap_neutral": 1, "tap_step_percent": 2.0,
         "tap_changer_type": "Ratio", "tap_step_degree": 60.0},
        {"tap_side": "hv", "tap_pos": 2, "tap_neutral": 0, "tap_step_degree": 3.0,
         "tap_changer_type": "Ideal"},
        {"tap_side": "lv", "tap_pos": 1, "tap_neutral": 0, "tap_step_percent": 4.0,
         "tap_changer_type": "Ideal"},
        {"tap_side": "hv", "tap_pos": 5, "tap_neutral": 0, "tap_step_percent": 9.0,
         "tap_changer_type": None},
    )
    for number, changer in enumerate(changers):
        low = pandapower.create_bus(net, 20, name=f"low {number}")
        pandapower.create_transformer_from_parameters(
            net, lv_bus=low, vn_hv_kv=112, vn_lv_kv=21, pfe_kw=0, i0_percent=0.5 * number,
            shift_degree=30.0 * number, parallel=number % 2 + 1, **common, **changer)
        pandapower.create_load(net, low, p_mw=10, q_mvar=3)
    return net

for make in (make_taps, networks.case300, networks.case1888rte):
    net = make()
    pandapower.runpp(net, numba=False)
    branch = net._ppc["branch"][:, [2, 3, 4, 8, 9]].real.tolist()
    print(json.dumps({"net": pandapower.to_json(net), "branch": branch, "base": net.sn_mva}))
"""


@pytest.fixture(scope="module")
def nets() -> list[dict[str, Any]]:
    command = [sys.executable, "-W", "ignore", "-c", _WRITE]
    written = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    return [json.loads(line) for line in written.splitlines()]


def _read(net: dict[str, Any]) -> ReadGrid:
    return pandapower_json.read(ask("pandapower", net["net"], check="power_flow"))


@pytest.mark.parametrize("position", [0, 1, 2])
def test_branches_are_those_of_the_power_flow(nets: list[dict[str, Any]], position: int) -> None:
    columns = _read(nets[position]).grid.branch_columns
    ours = columns.values[
        :, [columns.names.index(name) for name in ("r", "x", "b", "tap", "shift")]
    ]
    factor = 100 / nets[position]["base"]
    theirs = np.array(nets[position]["branch"]) * [factor, factor, 1 / factor, 1, 1]
    np.testing.assert_allclose(ours, theirs, atol=1e-9)


@pytest.mark.parametrize("position", [0, 1, 2])
def test_the_results_of_a_net_solve_the_grid_made_of_it(
    nets: list[dict[str, Any]], position: int
) -> None:
    check = report_of(_read(nets[position]))["power_flow"]
    assert check["voltages_solve_it"]
    assert check["largest_voltage_change_pu"] < 1e-3


def test_the_power_of_the_external_grid_is_that_of_the_results(nets: list[dict[str, Any]]) -> None:
    generation = _read(nets[0]).grid.find_column("Pg")
    assert generation is not None
    assert generation[0] == pytest.approx(50, rel=0.03)  # five loads of 10 MW and the losses


def test_a_bus_without_supply_has_no_voltage_and_the_others_keep_theirs() -> None:
    bus = {"columns": ["name", "vn_kv"], "index": [0, 1], "data": [["a", 10], ["b", 10]]}
    results = {
        "columns": ["vm_pu", "va_degree"],
        "index": [0, 1],
        "data": [[1.0, 0.0], [None, None]],
    }
    parts = {"bus": {"_object": bus}, "res_bus": {"_object": results}}
    read = pandapower_json.read(ask("pandapower", json.dumps({"_object": parts})))
    assert read.grid.features[:, read.grid.feature_names.index("Vm")].tolist() == [1, 0]
    assert read.report.buses_without_supply == 1
