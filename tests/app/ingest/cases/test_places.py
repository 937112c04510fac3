"""The shipped table of places of the US cases."""

from itertools import pairwise

import numpy as np
import pytest

from app.errors import CaseUnreadable
from app.grid.grid import Grid
from app.grid.places import find_places, find_substations
from app.grid.report import ReadGrid
from app.ingest.cases import places
from app.ingest.cases.catalogue import read_named_case
from app.ingest.cases.places import PLACED_CASES, TABLE, PlaceTable, add_places, load_places
from app.ingest.cases.sizes import MATPOWER_SIZES
from app.ingest.protocol import ReadLimits, ReadOptions
from ml.arrays import FloatArray

SUBSTATIONS = {
    "case_ACTIVSg2000": 1250,
    "case_ACTIVSg10k": 4762,
    "case_ACTIVSg70k": 35_000,
    "case_SyntheticUSA": 41_012,
}
_LONGEST_BRANCH_KM = 420.0
_SLOW = pytest.mark.long


@pytest.fixture(scope="module")
def table() -> PlaceTable:
    return load_places()


@pytest.fixture(scope="module")
def texas(matpower_folder: object) -> ReadGrid:
    return read_case("case_ACTIVSg2000")


def read_case(name: str) -> ReadGrid:
    return read_named_case(f"matpower:{name}", ReadOptions(), ReadLimits())


def measure_km(start: FloatArray, end: FloatArray) -> FloatArray:
    """Return great-circle distances; rows are longitude and latitude in degrees."""
    (lon, lat), (other_lon, other_lat) = np.radians(start).T, np.radians(end).T
    half = np.sin((other_lat - lat) / 2) ** 2
    half += np.cos(lat) * np.cos(other_lat) * np.sin((other_lon - lon) / 2) ** 2
    return np.asarray(2 * 6371.0 * np.arcsin(np.sqrt(half)))


def test_the_table_is_small_and_names_its_source_and_licence() -> None:
    assert TABLE.stat().st_size < 2_000_000
    text = TABLE.with_suffix(".txt").read_text()
    assert "CC BY 4.0" in text
    assert "powersimdata 0.5.5" in text
    assert "Changes" in text


def test_the_table_has_every_bus_once(table: PlaceTable) -> None:
    assert len(table.buses) == MATPOWER_SIZES["case_SyntheticUSA"][0]
    assert (np.diff(table.buses) > 0).all()
    east, west, south, end = 0, 2_000_000, 3_000_000, 4_000_000
    parts = [
        int(np.count_nonzero((table.buses >= low) & (table.buses < high)))
        for low, high in pairwise((east, west, south, end))
    ]
    assert parts == [70_000, 10_000, 2000]


def test_every_substation_has_buses_and_lies_in_the_contiguous_us(table: PlaceTable) -> None:
    assert np.array_equal(np.unique(table.substations), np.arange(len(table.coordinates)))
    lon, lat = table.coordinates.T
    assert -124.8 < lon.min() < lon.max() < -66.9
    assert 24.3 < lat.min() < lat.max() < 49.4


def test_known_buses_are_where_the_source_has_them(table: PlaceTable) -> None:
    """From bus2sub.csv and sub.csv: Auburn 1 (Maine), Neah Bay (Washington), Odessa 2 (Texas)."""
    known = {
        1: (-70.2211, 43.9761),
        2_010_001: (-124.578, 48.2414),
        3_001_001: (-102.262, 31.9067),
    }
    for bus, coordinates in known.items():
        row = int(np.searchsorted(table.buses, bus))
        assert table.buses[row] == bus
        assert tuple(table.coordinates[table.substations[row]]) == coordinates


@pytest.mark.parametrize(
    "name",
    [
        "case_ACTIVSg2000",
        "case_ACTIVSg10k",
        pytest.param("case_ACTIVSg70k", marks=_SLOW),
        pytest.param("case_SyntheticUSA", marks=_SLOW),
    ],
)
def test_a_case_arrives_with_places_that_fit_its_branches(
    matpower_folder: object, name: str
) -> None:
    read = read_case(name)
    grid = read.grid
    assert set(SUBSTATIONS) == set(PLACED_CASES)
    assert grid.coordinate_system == read.report.coordinates == "geographic"
    assert np.isfinite(grid.coordinates).all()
    assert grid.substations is not None
    assert grid.substations.source == "file"
    assert grid.substations.count == len(set(grid.substations.names)) == SUBSTATIONS[name]
    _assert_transformers_are_inside_substations(grid)
    start, end = (grid.coordinates[grid.ends[:, side]] for side in (0, 1))
    assert measure_km(start, end).max() < _LONGEST_BRANCH_KM


def _assert_transformers_are_inside_substations(grid: Grid) -> None:
    base_kv = grid.find_column("base_kv")
    assert base_kv is not None
    assert grid.substations is not None
    voltages, groups = base_kv[grid.ends], grid.substations.groups[grid.ends]
    transforms = voltages[:, 0] != voltages[:, 1]
    assert transforms.sum() > 800
    assert (groups[transforms, 0] == groups[transforms, 1]).all()


def test_substations_have_the_names_of_their_buses(texas: ReadGrid) -> None:
    grid = texas.grid
    assert grid.substations is not None
    (bus,) = grid.find_buses("ODESSA 2 0")
    assert grid.substations.find_name(bus) == "ODESSA 2"
    assert any("CC BY 4.0" in note for note in texas.report.notes)


def test_equal_coordinates_would_give_the_same_substations(texas: ReadGrid) -> None:
    derived, given = find_substations(texas.grid), texas.grid.substations
    assert derived is not None
    assert given is not None
    assert derived.source == "coordinates"
    assert np.array_equal(derived.groups, given.groups)


def test_training_gets_latitude_first(texas: ReadGrid) -> None:
    found = find_places(texas.grid)
    assert found.coordinates is not None
    assert found.groups is not None
    assert found.coordinates[0].tolist() == [31.9067, -102.262]


def test_a_case_that_the_table_does_not_have_is_refused(
    texas: ReadGrid, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(places.PLACED_CASES, "case_ACTIVSg2000", 10_000_000)
    with pytest.raises(CaseUnreadable, match="does not fit"):
        add_places(texas, "case_ACTIVSg2000")
