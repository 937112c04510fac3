from pathlib import Path

import numpy as np
import pytest

from app.errors import GridRejected
from app.grid.listing import Listing
from app.ingest.formats.matpower import reader as matpower
from app.ingest.formats.matpower.text import parse_text
from tests.app.ingest.requests import SMALL_CASE, ask, ask_file, report_of

# Counts of MATPOWER 8.1: rows of mpc.bus; rows of mpc.branch in service; islands by
# breadth-first search (networkx) over those branches.
GOLDEN = {
    "case118": (118, 186, 1),
    "case300": (300, 411, 1),
    "case2383wp": (2383, 2896, 1),
    "case_ACTIVSg200": (200, 245, 1),
    "case_ACTIVSg500": (500, 597, 1),
    "case_ACTIVSg2000": (2000, 3206, 1),
    "case_ACTIVSg10k": (10000, 12706, 1),
}
GOLDEN_LARGE = {
    "case_ACTIVSg25k": (25000, 32229, 1),
    "case_ACTIVSg70k": (70000, 88207, 1),
    "case_SyntheticUSA": (82000, 104121, 3),
}


def _counts(folder: Path, name: str) -> tuple[int, int, int]:
    read = matpower.read(ask_file("matpower", folder / f"{name}.m"))
    return read.grid.bus_count, read.grid.branch_count, read.report.islands


@pytest.mark.parametrize("name", GOLDEN)
def test_a_case_has_its_published_size(matpower_folder: Path, name: str) -> None:
    assert _counts(matpower_folder, name) == GOLDEN[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", GOLDEN_LARGE)
def test_a_large_case_has_its_published_size(matpower_folder: Path, name: str) -> None:
    assert _counts(matpower_folder, name) == GOLDEN_LARGE[name]


def test_every_shipped_case_of_moderate_size_is_read(matpower_folder: Path) -> None:
    cases = [path for path in sorted(matpower_folder.glob("case*.m")) if path.stat().st_size < 1e6]
    assert len(cases) > 55
    for path in cases:
        assert matpower.read(ask_file("matpower", path)).grid.bus_count > 0


@pytest.mark.slow
def test_all_78_shipped_cases_are_read(matpower_folder: Path) -> None:
    cases = sorted(matpower_folder.glob("case*.m"))
    assert len(cases) == 78
    for path in cases:
        assert matpower.read(ask_file("matpower", path)).grid.bus_count > 0


def test_kilowatts_and_ohms_of_case33bw_are_converted(matpower_folder: Path) -> None:
    # Baran and Wu, "Network reconfiguration in distribution systems ...", 1989: 3.715 MW.
    read = matpower.read(ask_file("matpower", matpower_folder / "case33bw.m"))
    assert read.grid.features[:, 0].sum() == pytest.approx(3.715)
    base = 12.66**2 / 100  # impedances are kept per unit of 100 MVA, whatever the file's base
    assert read.grid.branch_columns.values[0, 0] == pytest.approx(0.0922 / base)
    assert len(report_of(read)["statements_applied"]) == 2


def test_apparent_power_of_case141_is_split_by_the_power_factor(matpower_folder: Path) -> None:
    read = matpower.read(ask_file("matpower", matpower_folder / "case141.m"))
    active, reactive = read.grid.features[:, 0], read.grid.features[:, 1]
    known = active > 0
    assert active[known] / np.hypot(active, reactive)[known] == pytest.approx(0.85)


def test_a_switched_off_block_changes_nothing(matpower_folder: Path) -> None:
    text = (matpower_folder / "case8387pegase.m").read_text()
    assert "if fixed" in text
    assert parse_text(text.encode()).notes.statements_applied == []
    with pytest.raises(GridRejected):
        parse_text(text.replace("fixed = 0", "fixed = 1").encode())


def test_ids_are_the_bus_numbers_and_names_are_aliases() -> None:
    grid = matpower.read(ask("matpower", SMALL_CASE)).grid
    assert grid.bus_ids == ("1", "2", "10")
    assert grid.find_buses("O'Two % }") == [1]


def test_out_of_service_branches_and_loops_are_dropped_and_counted() -> None:
    read = matpower.read(ask("matpower", SMALL_CASE))
    assert read.grid.branch_count == 3
    assert read.report.dropped.out_of_service_branches == 1
    assert read.report.dropped.self_loops == Listing(1, ["1"])
    assert read.report.parallel_branches.count == 1
    assert read.report.parts_not_read == ["gencost"]


def test_labels_come_with_the_case() -> None:
    read = matpower.read(ask("matpower", SMALL_CASE))
    labels = {label_set.name: label_set for label_set in read.label_sets}
    assert labels["role"].classes.tolist() == [2, 1, 2]  # the generator at bus 10 is off
    assert labels["area"].class_names == ("1", "2")
    assert labels["zone"].classes.tolist() == [0, 1, 1]
    assert labels["bus_type"].classes.tolist() == [2, 0, 1]


def test_generation_and_shunts_are_columns_not_features() -> None:
    grid = matpower.read(ask("matpower", SMALL_CASE)).grid
    assert grid.feature_names == ("Pd", "Qd", "Vm", "Va", "base_kv")
    generation, shunt = grid.find_column("Pg"), grid.find_column("Bs")
    assert generation is not None
    assert shunt is not None
    assert generation.tolist() == [40, 0, 0]
    assert shunt.tolist() == [0, 5, 0]


@pytest.mark.parametrize(
    ("weight", "expected"),
    [
        ("one", [1, 1, 1]),
        ("admittance", [1 / np.hypot(0.01, 0.1), 1 / np.hypot(0.01, 0.1), 5]),
        ("charging", [0.02, 0.02]),
        ("rating", [250, 250, 250]),
    ],
)
def test_the_weight_is_the_chosen_quantity(weight: str, expected: list[float]) -> None:
    read = matpower.read(ask("matpower", SMALL_CASE, weight=weight))
    assert read.grid.weights.tolist() == pytest.approx(expected)
    assert report_of(read)["weight"]["choice"] == weight


def test_a_tap_or_two_voltages_make_a_transformer() -> None:
    grid = matpower.read(ask("matpower", SMALL_CASE)).grid
    assert [grid.kind_names[kind] for kind in grid.kinds] == ["line", "line", "transformer"]


@pytest.mark.parametrize(
    ("find", "put", "word"),
    [
        ("mpc.baseMVA = 100;", "", "baseMVA"),
        ("mpc.baseMVA = 100;", "mpc.baseMVA = 100;\nmpc.baseMVA = 100;", "twice"),
        ("'2'", "'1'", "version 2"),
        ("\t50\t", "\tfifty\t", "'fifty'"),
        ("\t50\t", "\tInf\t", "finite"),
        ("\t50\t", "\t5_0\t", "'5_0'"),
        ("\t10\t2\t0", "\t2\t2\t0", "more than once"),
        ("\t10\t2\t0", "\t2.5\t2\t0", "integer"),
        ("\t2\t10\t0\t0.2", "\t2\t11\t0\t0.2", "does not have"),
        ("];\nmpc.gen = [", "", "not"),
        ("\t1\t3\t0\t0\t0", "\t1\t3\t0\t0", "entries"),
        ("mpc.gencost", "mpc.bus(1, 3) = 5;\nmpc.gencost", "mpc.bus(1, 3) = 5"),
        ("mpc.gencost", "system('reboot');\nmpc.gencost", "system('reboot')"),
        ("function mpc = small", "function [baseMVA, bus] = small", "Version 1"),
        ("'One';", "One;", "quoted"),
        ("\t'Ten';\n", "", "names 2 of 3"),
    ],
)
def test_a_broken_case_is_rejected_with_its_fault(find: str, put: str, word: str) -> None:
    assert find in SMALL_CASE
    with pytest.raises(GridRejected) as caught:
        matpower.read(ask("matpower", SMALL_CASE.replace(find, put, 1)))
    message = " ".join([str(caught.value), *map(str, caught.value.faults)])
    assert word in message


def test_constants_in_another_order_are_rejected() -> None:
    text = SMALL_CASE + "[QD, PD] = idx_bus;\nmpc.bus(:, [PD, QD]) = mpc.bus(:, [PD, QD]) / 1e3;\n"
    with pytest.raises(GridRejected):
        parse_text(text.encode())


def test_a_flood_of_newlines_takes_no_time() -> None:
    with pytest.raises(GridRejected):
        parse_text(b"mpc.bus = [" + b"\n" * 5_000_000)


def test_every_fault_is_listed_at_once() -> None:
    text = SMALL_CASE.replace("\t50\t", "\tfifty\t").replace("\t250\t250", "\tx\t250", 1)
    with pytest.raises(GridRejected) as caught:
        parse_text(text.encode())
    assert [fault.where for fault in caught.value.faults] == ["mpc.bus row 2", "mpc.branch row 1"]
