"""SimBench: nodes behind closed switches are one bus; series stay packed."""

import math

import numpy as np
import pytest

from app.errors import GridRejected
from app.grid.report import ReadGrid
from app.ingest.formats import find_format
from app.ingest.formats.simbench.network import read
from app.ingest.sandbox.run import run_reader
from tests.app.ingest.archives import SIMBENCH, make_zip
from tests.app.ingest.requests import ask, report_of


def _read(**changes: str) -> ReadGrid:
    return read(ask("simbench", make_zip(SIMBENCH | changes)))


def _faults(**changes: str) -> list[str]:
    with pytest.raises(GridRejected) as caught:
        _read(**changes)
    return [str(fault) for fault in caught.value.faults]


def test_the_archive_is_recognised_in_any_folder() -> None:
    content = make_zip({f"scenario/{name}": part for name, part in SIMBENCH.items()})
    form = find_format(content)
    assert form is not None
    assert form.name == "simbench"
    assert run_reader(ask("simbench", content)).grid.bus_count == 5


def test_closed_switches_fuse_nodes_and_open_ones_do_not() -> None:
    grid = _read().grid
    assert grid.bus_ids == ("H", "M", "N", "N a", "L")
    ends = {tuple(sorted(grid.bus_ids[bus] for bus in pair)) for pair in grid.ends.tolist()}
    assert ends == {("M", "N"), ("M", "N a"), ("L", "N"), ("H", "M")}
    report = report_of(_read())
    assert report["switches"] == {"closed": 1, "open": 1, "open_at_branches": 0}
    assert any("6 nodes became 5 buses" in note for note in report["notes"])


def test_loads_of_fused_nodes_are_added_and_equivalents_of_present_subnets_left_out() -> None:
    grid = _read().grid
    demand = dict(zip(grid.bus_ids, grid.find_column("Pd").tolist(), strict=True))  # type: ignore[union-attr]
    assert demand == {"H": 0.0, "M": 1.0, "N": 3.0, "N a": 0.0, "L": 0.0}
    assert any("1 of Load" in note for note in _read().report.notes)


def test_an_external_net_for_an_absent_subnet_is_the_slack() -> None:
    read_grid = _read()
    (types,) = (one for one in read_grid.label_sets if one.name == "bus_type")
    assert types.class_names[types.classes[0]] == "slack"


def test_lines_and_transformers_have_the_impedance_of_their_types() -> None:
    grid = _read().grid
    columns = dict(zip(grid.branch_columns.names, grid.branch_columns.values.T, strict=True))
    kinds = [grid.kind_names[kind] for kind in grid.kinds]
    assert kinds == ["line", "line", "link", "transformer"]
    ohm = 20**2 / 100  # kV^2 / MVA
    assert columns["r"][0] == pytest.approx(0.4 * 2 / ohm)
    assert columns["x"][0] == pytest.approx(0.8 * 2 / ohm)
    assert columns["b"][0] == pytest.approx(10e-6 * 2 * ohm)
    assert columns["rating"][0] == pytest.approx(math.sqrt(3) * 20 * 0.5)
    # 100 kW of 25 MVA are 0.4 %; 10 % impedance; 25 MVA -> 100 MVA
    assert columns["r"][3] == pytest.approx(0.004 * 4)
    assert columns["x"][3] == pytest.approx(math.sqrt(0.1**2 - 0.004**2) * 4)
    assert columns["b"][3] == pytest.approx(-0.01 * 25 / 100)
    assert columns["tap"][3] == pytest.approx(1.03)
    assert columns["shift"][3] == pytest.approx(150)


def test_places_substations_and_text_columns_come_along() -> None:
    read_grid = _read()
    grid = read_grid.grid
    assert grid.coordinate_system == "geographic"
    assert grid.coordinates[0].tolist() == [9.5, 52.5]
    assert np.isnan(grid.coordinates[-1]).all()
    assert grid.substations is not None
    assert [grid.substations.find_name(bus) for bus in range(3)] == ["S1", "S1", None]
    subnets = grid.text_columns["subnet"]
    assert [subnets.find_text(bus) for bus in range(5)] == [
        "HV1",
        "MV1.101",
        "MV1.101",
        "MV1.101",
        "LV1.101",
    ]
    assert grid.text_columns["feeder"].find_text(2) == "MV1.101_Feeder1"


def test_time_series_are_never_unpacked() -> None:
    content = make_zip(SIMBENCH | {"LoadProfile.csv": b"0" * 50_000_000})
    read_grid = read(ask("simbench", content))
    assert read_grid.grid.bus_count == 5
    assert report_of(read_grid)["parts_not_read"] == ["loadprofile.csv"]


def test_every_wrong_reference_is_a_fault() -> None:
    lines = SIMBENCH["Line.csv"] + "l3;nowhere;N;T;1;100;x;5\n"
    loads = SIMBENCH["Load.csv"] + "z;lost;P;1;1;1;x;5\n"
    assert _faults(**{"Line.csv": lines, "Load.csv": loads}) == [
        "Line row 4: nodeA 'nowhere' is not a bus of the file",
        "Load row 4: node 'lost' is not a bus of the file",
    ]


def test_a_type_that_no_table_has_is_a_fault() -> None:
    lines = SIMBENCH["Line.csv"].replace("l1;M a;N;T", "l1;M a;N;unknown")
    assert _faults(**{"Line.csv": lines}) == [
        "Line row 1: type 'unknown' is in no type table",
    ]


def test_an_archive_with_two_scenarios_is_refused() -> None:
    content = make_zip(SIMBENCH | {"b/Node.csv": SIMBENCH["Node.csv"]})
    with pytest.raises(GridRejected) as caught:
        read(ask("simbench", content))
    assert "one grid per archive" in caught.value.faults[0].problem
