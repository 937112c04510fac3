"""Coordinates are degrees, a drawing or projected, as the file or the client says."""

import numpy as np
import pytest
from starlette.testclient import TestClient

from app.errors import GridRejected
from app.grid.report import ReadGrid
from app.ingest.build.coordinates import (
    apply_coordinates,
    detect_degrees,
    find_coordinates_problem,
    measure_distance,
)
from app.ingest.cases.catalogue import list_cases
from app.ingest.formats import csv_tables
from app.ingest.formats.opendss import network as opendss
from app.ingest.formats.pypsa import network as pypsa
from app.ingest.protocol import ReadOptions, Request
from tests.app.ingest.archives import PYPSA, make_zip
from tests.app.ingest.formats.opendss.circuits import FEEDER, pack
from tests.app.ingest.requests import ask

MUNICH = (691_607.86, 5_334_760.37)
"""UTM 32N of 48.137222 N, 11.575556 E: 48°08'14" N, 11°34'32" E."""


def _feeder(x: float, y: float) -> ReadGrid:
    script = FEEDER + "\nBuscoords places.csv\n"
    files = {"master.dss": script, "places.csv": f"source, {x}, {y}\n"}
    return opendss.read(ask("opendss", pack(files)))


@pytest.mark.parametrize("text", [None, "geographic", "schematic", "EPSG:25832", "epsg:4326"])
def test_choices_that_are_allowed(text: str | None) -> None:
    assert find_coordinates_problem(text) is None


@pytest.mark.parametrize("text", ["", "wgs84", "EPSG:1", "EPSG:25832 ", "+proj=utm", "/etc/x"])
def test_other_choices_are_faults(text: str) -> None:
    assert find_coordinates_problem(text) is not None


def test_projected_buscoords_become_degrees_if_the_client_names_the_system() -> None:
    drawn = _feeder(*MUNICH)
    assert drawn.report.coordinates == "schematic"
    read = apply_coordinates(drawn, "epsg:25832")
    assert read.grid.coordinate_system == read.report.coordinates == "geographic"
    np.testing.assert_allclose(read.grid.coordinates[0], [11.575556, 48.137222], atol=1e-5)
    assert np.isnan(read.grid.coordinates[1:]).all()
    places = read.report.places
    assert (places.buses, places.source, places.reference_system) == (1, "request", "EPSG:25832")


def test_a_choice_that_the_numbers_do_not_fit_is_refused() -> None:
    with pytest.raises(GridRejected) as caught:
        apply_coordinates(_feeder(*MUNICH), "geographic")
    (fault,) = caught.value.faults
    assert fault.where == "coordinates"
    assert "source" in fault.problem


@pytest.mark.parametrize("system", ["EPSG:999999", "EPSG:5773"])
def test_an_unknown_reference_system_is_refused(system: str) -> None:
    with pytest.raises(GridRejected) as caught:
        apply_coordinates(_feeder(*MUNICH), system)
    assert caught.value.faults[0].where == "coordinates"


def test_degrees_may_be_declared_a_drawing() -> None:
    read = apply_coordinates(pypsa.read(ask("pypsa", make_zip(PYPSA))), "schematic")
    assert read.grid.coordinate_system == read.report.coordinates == "schematic"


def test_a_system_named_by_the_file_is_converted() -> None:
    read = pypsa.read(ask("pypsa", _pypsa(3857, "1113194.9079,6446275.841")))
    assert read.report.places.reference_system == "EPSG:3857"
    placed = apply_coordinates(read, None)
    assert placed.report.coordinates == "geographic"
    np.testing.assert_allclose(placed.grid.coordinates[0], [10, 50], atol=1e-6)


def test_coordinates_that_do_not_fit_the_system_of_the_file_stay_a_drawing() -> None:
    read = apply_coordinates(pypsa.read(ask("pypsa", _pypsa(999_998, "10,50"))), None)
    assert read.report.coordinates == "schematic"
    assert any("EPSG:999998 is not a known reference system" in note for note in read.report.notes)


def test_a_file_without_coordinates_stays_without() -> None:
    read = apply_coordinates(opendss.read(ask("opendss", FEEDER)), "geographic")
    assert read.report.coordinates == "none"
    assert "no effect" in read.report.notes[-1]


def _pypsa(srid: int, place: str) -> bytes:
    files = dict(PYPSA)
    files["net/network.csv"] = files["net/network.csv"].replace("4326", str(srid))
    files["net/buses.csv"] = files["net/buses.csv"].replace("A,380,10,50", f"A,380,{place}")
    return make_zip(files)


_BUSES = f"id,x,y,load\na,{MUNICH[0]},{MUNICH[1]},1\nb,,,2\n"


def _read_csv(buses: str, **options: str) -> ReadGrid:
    files = {"file": b"source,target\na,b\n", "buses": buses.encode()}
    return csv_tables.read(Request("csv", files, ReadOptions(**options)))


def test_x_and_y_of_a_table_are_coordinates_if_the_client_says_how_to_read_them() -> None:
    read = apply_coordinates(_read_csv(_BUSES, coordinates="EPSG:25832"), "EPSG:25832")
    np.testing.assert_allclose(read.grid.coordinates[0], [11.575556, 48.137222], atol=1e-5)
    assert np.isnan(read.grid.coordinates[1]).all()
    assert read.grid.feature_names == ("load",)
    assert read.report.places.buses == 1
    assert not any(one.name in ("x", "y") for one in read.report.columns_not_kept)


def test_x_and_y_of_a_table_are_features_otherwise() -> None:
    full = _BUSES.replace("b,,", "b,1,2")
    assert _read_csv(full).grid.feature_names == ("x", "y", "load")
    with_degrees = "id,x,y,lat,lon\na,1,2,50,10\nb,3,4,51,11\n"
    read = _read_csv(with_degrees, coordinates="geographic")
    assert read.grid.feature_names == ("x", "y")
    assert read.grid.coordinates[0].tolist() == [10, 50]


def test_distances_are_great_circles() -> None:
    # A degree of the equator is 111.19 km on a sphere of 6,371 km.
    points = np.array([[0.0, 0.0], [1.0, 0.0]])
    assert measure_distance(points[:1], points[1:])[0] == pytest.approx(111.19, abs=0.01)


@pytest.mark.parametrize(
    ("kilometres", "degrees"),
    [(120.0, True), (450.0, True), (1.0, False), (1e5, False), (0.0, False), (np.nan, False)],
)
def test_degrees_are_told_by_the_lengths_of_lines(kilometres: float, degrees: bool) -> None:
    coordinates = np.array([[7.0, 0.0], [8.0, 0.0], [9.0, 0.0], [10.0, 0.0]])
    ends = np.array([[0, 1], [1, 2], [2, 3]])
    assert detect_degrees(coordinates, ends, np.full(3, kilometres)) == degrees
    assert not detect_degrees(coordinates, ends[:2], np.full(2, kilometres))
    assert not detect_degrees(coordinates * 1000, ends, np.full(3, kilometres))


def test_the_form_takes_the_field(api: TestClient) -> None:
    files = {"file": ("f.zip", pack({"m.dss": FEEDER + "\nBuscoords p.csv\n", "p.csv": _row()}))}
    answer = api.post("/graphs", files=files, data={"coordinates": "EPSG:25832"})
    assert answer.status_code == 201
    assert answer.json()["report"]["coordinates"] == "geographic"
    refused = api.post("/graphs", files=files, data={"coordinates": "UTM", "check": "x"})
    assert refused.status_code == 422
    assert {fault["where"] for fault in refused.json()["errors"]} == {"coordinates", "check"}


def _row() -> str:
    return "source, {}, {}\n".format(*MUNICH)


@pytest.mark.long
def test_the_networks_of_pandapower_with_places_are_listed(api: TestClient) -> None:
    placed = {case.name for case in list_cases() if case.has_places and case.source != "matpower"}
    assert placed == {"mv_oberrhein", "lv_schutterwald"}
    graph = api.post("/graphs", json={"case": "mv_oberrhein"}).json()
    assert graph["report"]["coordinates"] == "geographic"
    assert graph["report"]["places"]["buses"] == graph["bus_count"]
    features = api.get(f"/graphs/{graph['id']}/export/geojson").json()["features"]
    points = [one["geometry"]["coordinates"] for one in features]
    buses = np.array([point for point in points if np.ndim(point) == 1])
    assert len(buses) == graph["bus_count"]
    assert (buses.min(axis=0) > [7.7, 48.3]).all()
    assert (buses.max(axis=0) < [8.0, 48.5]).all()
