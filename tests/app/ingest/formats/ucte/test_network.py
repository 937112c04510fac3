"""UCTE-DEF: powerio writes a file and is the second opinion; a short file is checked by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import powerio
import pytest

from app.errors import GridRejected
from app.ingest.formats.ucte import network as ucte
from tests.app.ingest.requests import ask, report_of


def _emit(folder: Path, name: str, form: str) -> Any:
    return powerio.emit(powerio.parse(str(folder / f"{name}.m")), form)


def test_ucte_agrees_with_powerio(matpower_folder: Path) -> None:
    text = _emit(matpower_folder, "case39", "ucte").text
    grid = ucte.read(ask("ucte", text)).grid
    network = powerio.parse(text.encode(), format="ucte").value
    assert grid.bus_count == network.n_buses
    ours = grid.branch_columns.values
    for column, name in enumerate(("r", "x", "b")):
        theirs = [branch[name] for branch in network.branches]
        np.testing.assert_allclose(np.sort(ours[:, column]), np.sort(theirs), atol=1e-9)
    assert grid.features[:, 0].sum() == pytest.approx(sum(load["p"] for load in network.loads))


def _turn(added: float) -> complex:
    return complex(np.exp(2j * np.arctan2(added, 2)))


UCTE = """##C 2007.05.01
a comment
##N
##ZDE
DABCDE11 Essen        0 3 380.00 0.00000 0.00000 -100.00 10.0000
DABCDF11 Bonn         0 0        50.0000 20.0000 0.00000 0.00000
##ZFR
FABCDE21 Metz         0 0        40.0000 10.0000 0.00000 0.00000
##L
DABCDE11 DABCDF11 1 0 1.4440 14.440 10.00000   1000 Line 1
DABCDE11 DABCDF11 2 8 1.4440 14.440 10.00000   1000 Line 2
##T
DABCDF11 FABCDE21 1 0 380.0 220.0 250.0 0.0000 28.880 0.000000 0.0000    500
##R
##E
"""


def test_columns_are_read_as_the_format_defines_them() -> None:
    # Base impedance 380^2 / 100 = 1444 ohm: 1.444 and 14.44 ohm are 0.001 and 0.01 p.u.
    read = ucte.read(ask("ucte", UCTE))
    grid = read.grid
    assert grid.bus_ids == ("DABCDE11", "DABCDF11", "FABCDE21")
    assert grid.find_buses("Metz") == [2]
    assert grid.branch_columns.values[0].tolist() == pytest.approx(
        [0.001, 0.01, 0.01444, np.sqrt(3) * 380, 1, 0]
    )
    assert grid.branch_columns.values[1].tolist() == pytest.approx([0, 0.02, 0, 250, 1, 0])
    assert read.report.dropped.out_of_service_branches == 1
    labels = {label_set.name: label_set for label_set in read.label_sets}
    assert labels["area"].class_names == ("DE", "FR")
    assert labels["role"].classes.tolist() == [2, 1, 1]
    generation = grid.find_column("Pg")
    assert generation is not None
    assert generation.tolist() == [100, 0, 0]


def _with_tap(regulation: str) -> str:
    head = "DABCDF11 FABCDE21 1 "
    return UCTE.replace("##R\n", f"##R\n{head}{regulation}\n").replace("380.0 220.0", "400.0 231.0")


@pytest.mark.parametrize(
    ("regulation", "ratio"),
    [
        # Rated 231 kV of 220 over 400 of 380 is 0.9975; then 4 steps of 1.25 % at the 2nd node.
        (" 1.25  9   4", 0.9975 * 1.05),
        (" 1.25  9  -4", 0.9975 * 0.95),
        ("                    1.00  90.0 10   5       ASYM", 0.9975 * (1 + 0.05j)),
        ("                    1.00  90.0 10   5       SYMM", 0.9975 * _turn(0.05)),
        (" 2.00  5   1        1.00  90.0 10   5       ASYM", 0.9975 * 1.02 * (1 + 0.05j)),
    ],
)
def test_ucte_taps_change_the_ratio_at_the_second_node(regulation: str, ratio: complex) -> None:
    grid = ucte.read(ask("ucte", _with_tap(regulation))).grid
    assert [grid.bus_ids[bus] for bus in grid.ends[1]] == ["FABCDE21", "DABCDF11"]
    tap, shift = grid.branch_columns.values[1, 4:]
    assert tap == pytest.approx(abs(ratio))
    assert shift == pytest.approx(np.rad2deg(np.angle(ratio)))


def test_ucte_without_voltages_is_solved_from_a_flat_start() -> None:
    read = ucte.read(ask("ucte", _with_tap(" 1.25  9   4"), check="power_flow"))
    check = report_of(read)["power_flow"]
    assert not check["done"]
    assert check["converged_from_flat_start"]


def test_a_transformer_without_rated_power_is_rated_by_its_current_limit() -> None:
    text = UCTE.replace("220.0 250.0", "220.0      ").replace("   500\n", "  1500\n")
    rating = ucte.read(ask("ucte", text)).grid.branch_columns.values[1, 3]
    assert rating == pytest.approx(np.sqrt(3) * 380 * 1.5)


@pytest.mark.parametrize(
    ("find", "put"),
    [
        ("##R\n", "##R\nDABCDF11 FABCDE21 2  1.25  9   4\n"),
        ("##R\n", "##R\nDABCDF11 FABCDE21 1  x.25  9   4\n"),
        ("##C 2007", "##Q 2007"),
        ("DABCDE11 DABCDF11 1", "DABCDE11 DABCDX11 1"),
        ("50.0000", "fifty.0"),
        ("1.4440 14.440", "1.4440 x4.440"),
        ("DABCDF11 Bonn", "DABCDE11 Bonn"),
        ("DABCDF11 Bonn", " ABCDF1  Bonn"),
        ("DABCDF11 Bonn", "DABCDF   Bonn"),
        ("FABCDE21 Metz", "FABCDEX1 Metz"),
        (UCTE, "##C"),
    ],
)
def test_broken_ucte_is_refused(find: str, put: str) -> None:
    assert find in UCTE
    with pytest.raises(GridRejected):
        ucte.read(ask("ucte", UCTE.replace(find, put, 1)))


def test_nodes_with_the_same_first_six_characters_are_one_substation() -> None:
    text = UCTE.replace("FABCDE21 Metz", "DABCDE21 Metz").replace("##ZFR\n", "")
    grid = ucte.read(ask("ucte", text.replace("FABCDE21", "DABCDE21"))).grid
    assert grid.bus_ids == ("DABCDE11", "DABCDF11", "DABCDE21")
    assert grid.substations is not None
    assert grid.substations.groups.tolist() == [0, 1, 0]
    assert (grid.substations.source, grid.substations.names) == ("file", ("DABCDE", "DABCDF"))
