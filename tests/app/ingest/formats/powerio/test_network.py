"""PSS/E and CGMES files written by powerio give the grid of the MATPOWER case."""

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
from ml.arrays import FloatArray
from tests.app.ingest.requests import ask, ask_file


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
