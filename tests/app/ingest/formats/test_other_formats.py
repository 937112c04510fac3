"""UCTE-DEF, PSS/E and CGMES; powerio writes the files and is the second opinion on UCTE-DEF."""

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import powerio
import pytest

from app.errors import GridRejected
from app.grid.grid import Grid
from app.ingest.formats.matpower import reader as matpower
from app.ingest.formats.powerio import cgmes, psse
from app.ingest.formats.ucte import network as ucte
from ml.arrays import FloatArray
from tests.app.ingest.requests import ask, ask_file, report_of


def _emit(folder: Path, name: str, form: str) -> Any:
    return powerio.emit(powerio.parse(str(folder / f"{name}.m")), form)


def _zip(documents: dict[str, bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", packing) as archive:
        for name, content in documents.items():
            archive.writestr(name, content)
    return stream.getvalue()


@pytest.fixture(scope="module")
def case39(matpower_folder: Path) -> Grid:
    return matpower.read(ask_file("matpower", matpower_folder / "case39.m")).grid


@pytest.fixture(scope="module")
def profiles(matpower_folder: Path) -> dict[str, bytes]:
    artifacts = _emit(matpower_folder, "case39", "cgmes").artifacts
    return {artifact.name: bytes(artifact.data) for artifact in artifacts}


def _branches(grid: Grid) -> FloatArray:
    """Ends and columns in an order that does not depend on the file."""
    rows = np.hstack([np.sort(grid.ends, axis=1), grid.branch_columns.values])
    return np.array(sorted(rows.tolist()))


def _assert_same_grid(ours: Grid, theirs: Grid) -> None:
    for column in ("Pd", "Qd", "Vm", "Va", "base_kv"):
        mine, other = ours.find_column(column), theirs.find_column(column)
        assert mine is not None
        assert other is not None
        np.testing.assert_allclose(mine, other, atol=1e-6)
    np.testing.assert_allclose(_branches(ours), _branches(theirs), rtol=1e-6, atol=1e-9)


def test_psse_gives_the_grid_of_matpower(matpower_folder: Path, case39: Grid) -> None:
    text = _emit(matpower_folder, "case39", "psse").text
    read = psse.read(ask("psse", text))
    assert read.grid.bus_ids == case39.bus_ids
    _assert_same_grid(read.grid, case39)


def test_psse_names_are_aliases(matpower_folder: Path) -> None:
    read = psse.read(ask("psse", _emit(matpower_folder, "case14", "psse").text))
    assert read.grid.find_buses("Bus 1     HV") == [0]


def test_cgmes_gives_the_grid_of_matpower_under_mrids(
    profiles: dict[str, bytes], case39: Grid
) -> None:
    read = cgmes.read(ask("cgmes", _zip(profiles)))
    assert all(len(bus_id) == 36 for bus_id in read.grid.bus_ids)
    _assert_same_grid(read.grid, case39)


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


def test_ucte_columns_mean_what_the_format_says() -> None:
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
    labels = {each.name: each for each in read.label_sets}
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


def test_a_current_limit_of_a_transformer_counts_where_it_has_no_rated_power() -> None:
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


@pytest.mark.parametrize("text", ["", "x", "0, 100, 33\n", "0," * 1000])
def test_broken_psse_is_refused(text: str) -> None:
    with pytest.raises(GridRejected):
        psse.read(ask("psse", text))


def test_hostile_archives_are_refused_before_they_are_unpacked(profiles: dict[str, bytes]) -> None:
    bomb = b"<x>" + b"0" * 50_000_000 + b"</x>"
    archives = {
        "not a zip": b"PK\x03\x04 and nothing",
        "empty": _zip({}),
        "a bomb": _zip({"a.xml": bomb}),
        "many": _zip({f"{number}.xml": b"<x/>" for number in range(60)}),
        "nested": _zip({"a.xml": _zip(profiles)}),
        "another file": _zip({"a.exe": b"MZ"}),
        "a document type": _zip({"a.xml": b'<!DOCTYPE x [<!ENTITY y "z">]><x/>'}),
        "another encoding": _zip({"a.xml": "<x/>".encode("utf-16")}),
        "another packing": _zip({"a.xml": b"<x/>"}, zipfile.ZIP_BZIP2),
        "not CGMES": _zip({"a.xml": b"<x/>"}),
        "cut off": _zip(profiles)[:-200],
    }
    for name, archive in archives.items():
        with pytest.raises(GridRejected):
            cgmes.read(ask("cgmes", archive))
        assert name
