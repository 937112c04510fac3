import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.errors import GridRejected
from app.ingest import matpower_m, pandapower_json
from app.ingest.grid import Grid
from tests.app.ingest.requests import ask, ask_file

_WRITE = """
import pandapower, pandapower.networks as networks
print("\\n%%\\n".join(pandapower.to_json(make()) for make in (
    networks.case118, networks.case39, networks.example_multivoltage)))
"""


@pytest.fixture(scope="module")
def nets() -> list[str]:
    command = [sys.executable, "-W", "ignore", "-c", _WRITE]
    written = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    return written.split("\n%%\n")


def _pairs(grid: Grid) -> Counter[tuple[str, ...]]:
    return Counter(tuple(sorted((grid.bus_ids[a], grid.bus_ids[b]))) for a, b in grid.ends)


@pytest.mark.parametrize(("position", "name"), [(0, "case118"), (1, "case39")])
def test_the_same_case_gives_the_same_graph_as_matpower(
    nets: list[str], matpower_folder: Path, position: int, name: str
) -> None:
    ours = pandapower_json.read(ask("pandapower", nets[position]))
    theirs = matpower_m.read(ask_file("matpower", matpower_folder / f"{name}.m"))
    assert ours.grid.bus_ids == theirs.grid.bus_ids
    assert _pairs(ours.grid) == _pairs(theirs.grid)
    for column in ("Pd", "Qd"):
        mine, other = ours.grid.find_column(column), theirs.grid.find_column(column)
        assert mine is not None
        assert other is not None
        np.testing.assert_allclose(mine, other, atol=1e-9)
    assert ours.report["labels"]["role"] == theirs.report["labels"]["role"]


def test_per_unit_values_agree_with_matpower(nets: list[str], matpower_folder: Path) -> None:
    # case39 carries the same voltages in both sources (case118 does not: 138 and 345 kV there).
    ours = pandapower_json.read(ask("pandapower", nets[1])).grid
    theirs = matpower_m.read(ask_file("matpower", matpower_folder / "case39.m")).grid
    np.testing.assert_allclose(
        np.sort(ours.branch_columns.values[:, 1]),
        np.sort(theirs.branch_columns.values[:, 1]),
        rtol=1e-6,
    )


def test_pandapower_index_is_an_alias_and_never_an_id(nets: list[str]) -> None:
    grid = pandapower_json.read(ask("pandapower", nets[0])).grid
    assert "0" not in grid.bus_ids
    assert grid.find_buses("index 0") == [0]


def test_switches_are_branches_when_closed_and_open_lines_when_open(nets: list[str]) -> None:
    read = pandapower_json.read(ask("pandapower", nets[2]))
    assert read.report["branch_kinds"]["switch"] == read.report["switches"]["closed_between_buses"]
    assert read.report["dropped"]["out_of_service_branches"] == 1
    assert read.report["tables_not_read"] == {"xward": 2}


def test_a_net_without_results_has_no_voltages_among_its_features(nets: list[str]) -> None:
    read = pandapower_json.read(ask("pandapower", nets[1]))
    assert read.grid.feature_names == ("Pd", "Qd", "base_kv")


def _frame(columns: list[str], rows: list[list[Any]]) -> dict[str, Any]:
    table = {"columns": columns, "index": list(range(len(rows))), "data": rows}
    return {"_module": "os", "_class": "system", "_object": json.dumps(table), "orient": "split"}


def _net(**parts: Any) -> str:
    bus = _frame(["name", "vn_kv"], [["a", 10.0], ["b", 10.0]])
    return json.dumps({"_module": "builtins", "_class": "exec", "_object": {"bus": bus} | parts})


def test_modules_and_classes_named_in_the_file_mean_nothing() -> None:
    line = _frame(["from_bus", "to_bus", "r_ohm_per_km", "x_ohm_per_km"], [[0, 1, 1.0, 2.0]])
    controller = {"_module": "os", "_class": "system", "_object": "touch /tmp/owned"}
    read = pandapower_json.read(ask("pandapower", _net(line=line, controller=controller)))
    assert read.grid.branch_count == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"_object": {"bus": 3}}',
        '{"_object": {"bus": {"_object": "not json"}}}',
        '{"_object": {"bus": {"_object": {"columns": ["a"], "index": [0], "data": [[1, 2]]}}}}',
        _net(line=_frame(["from_bus", "to_bus"], [[0, 7]])),
        _net(line=_frame(["from_bus", "to_bus"], [[0, 1]])),
        _net(load=_frame(["bus", "p_mw"], [["/etc/passwd", 1.0]])),
        _net(sn_mva=-1),
        _net(bus=_frame(["name", "vn_kv"], [["a", 1e999]])),
        "[" * 100_000,
    ],
)
def test_a_broken_net_is_refused(text: str) -> None:
    with pytest.raises(GridRejected):
        pandapower_json.read(ask("pandapower", text))
