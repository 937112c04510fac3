import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.errors import GridRejected
from app.grid.difference import describe_difference
from app.ingest.formats.matpower import reader as matpower
from app.ingest.formats.pandapower import network as pandapower_json
from tests.app.ingest.requests import ask, ask_file, report_of

COMPARED: dict[str, dict[str, int]] = {
    "case9": {},
    "case24_ieee_rts": {},
    "case39": {},
    # MATPOWER gives these no base voltages, pandapower has made some up.
    "case14": {"base_kv": 14},
    "case57": {"base_kv": 57},
    # Two buses at another voltage; line charging between them became a magnetising current.
    "case118": {"base_kv": 2, "r": 4, "x": 4, "b": 4},
    # Negative loads became generators, charging of transformers as above.
    "case300": {"Pd": 8, "Qd": 8, "role": 8, "r": 18, "x": 18, "b": 18},
}
"""How many buses or branches of a case differ between MATPOWER and pandapower, by column."""

_WRITE = """
import json, sys, pandapower, pandapower.networks as networks
print(json.dumps({name: pandapower.to_json(getattr(networks, name)()) for name in sys.argv[1:]}))
"""


@pytest.fixture(scope="module")
def nets() -> dict[str, str]:
    command = [sys.executable, "-W", "ignore", "-c", _WRITE, *COMPARED, "example_multivoltage"]
    written = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    nets: dict[str, str] = json.loads(written)
    return nets


@pytest.mark.parametrize("name", COMPARED)
def test_a_case_of_both_packages_differs_only_as_listed(
    nets: dict[str, str], matpower_folder: Path, name: str
) -> None:
    theirs = matpower.read(ask_file("matpower", matpower_folder / f"{name}.m"))
    ours = pandapower_json.read(ask("pandapower", nets[name]))
    changes = describe_difference(theirs.grid, ours.grid, theirs.label_sets, ours.label_sets)
    difference = msgspec.to_builtins(changes)
    for part in ("buses_added", "buses_removed", "branches_added", "branches_removed"):
        assert difference[part]["count"] == 0
    counts = {
        column: change["count"]
        for part in ("features_changed", "branch_columns_changed", "labels_changed")
        for column, change in difference[part].items()
    }
    counts.pop("rating", None)  # no limit is 0 in MATPOWER and a large number in pandapower
    assert counts == COMPARED[name]


def test_pandapower_index_is_an_alias_and_never_an_id(nets: dict[str, str]) -> None:
    grid = pandapower_json.read(ask("pandapower", nets["case118"])).grid
    assert "0" not in grid.bus_ids
    assert grid.find_buses("index 0") == [0]


def test_switches_are_branches_when_closed_and_open_lines_when_open(nets: dict[str, str]) -> None:
    read = pandapower_json.read(ask("pandapower", nets["example_multivoltage"]))
    assert read.report.branch_kinds["switch"] == report_of(read)["switches"]["closed"]
    assert read.report.dropped.out_of_service_branches == 1
    assert read.report.tables_not_read == {"xward": 2}


def test_a_net_without_results_has_no_voltages_among_its_features(nets: dict[str, str]) -> None:
    read = pandapower_json.read(ask("pandapower", nets["case39"]))
    assert read.grid.feature_names == ("Pd", "Qd", "base_kv")


def _frame(columns: list[str], rows: list[list[Any]]) -> dict[str, Any]:
    table = {"columns": columns, "index": list(range(len(rows))), "data": rows}
    return {"_module": "os", "_class": "system", "_object": json.dumps(table), "orient": "split"}


def _net(**parts: Any) -> str:
    bus = _frame(["name", "vn_kv"], [["a", 10.0], ["b", 10.0]])
    return json.dumps({"_module": "builtins", "_class": "exec", "_object": {"bus": bus} | parts})


def test_the_phases_of_asymmetric_loads_add_up() -> None:
    names = ["bus", "p_a_mw", "p_b_mw", "p_c_mw", "q_a_mvar", "q_b_mvar", "q_c_mvar", "scaling"]
    loads = _frame(names, [[1, 1.0, 2.0, 4.0, 0.5, 0.0, 0.25, 2.0]])
    grid = pandapower_json.read(ask("pandapower", _net(asymmetric_load=loads))).grid
    assert grid.features[:, :2].tolist() == [[0, 0], [14, 1.5]]


def test_modules_and_classes_named_in_the_file_are_ignored() -> None:
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


def test_a_column_of_the_buses_names_their_substations() -> None:
    rows = [["x", 20.0, "north"], ["y", 20.0, None], ["z", 0.4, "north"]]
    net = _net(bus=_frame(["name", "vn_kv", "substation"], rows))
    substations = pandapower_json.read(ask("pandapower", net)).grid.substations
    assert substations is not None
    assert substations.groups.tolist() == [0, 1, 0]
    assert (substations.source, substations.names) == ("column", ("north", ""))
