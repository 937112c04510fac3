"""PyPSA: the CSV folder in a zip."""

import math
from typing import Any

import numpy as np
import pytest

from app.errors import GridRejected
from app.grid.report import ReadGrid
from app.ingest.formats import find_format
from app.ingest.formats.pypsa.network import read
from tests.app.ingest.archives import PYPSA, make_zip
from tests.app.ingest.requests import ask, report_of


def _read(**changes: str) -> ReadGrid:
    files = PYPSA | {f"net/{name}.csv": text for name, text in changes.items()}
    return read(ask("pypsa", make_zip(files)))


def _branch_columns(read_grid: ReadGrid) -> dict[str, Any]:
    columns = read_grid.grid.branch_columns
    return dict(zip(columns.names, columns.values.T.tolist(), strict=True))


def test_the_folder_is_recognised_with_and_without_the_table_of_the_network() -> None:
    bare = {name: PYPSA[name] for name in ("net/buses.csv", "net/lines.csv")}
    forms = [find_format(make_zip(files)) for files in (PYPSA, bare)]
    assert [form.name if form else None for form in forms] == ["pypsa", "pypsa"]


def test_buses_branches_and_state_of_the_first_snapshot() -> None:
    read_grid = _read()
    grid = read_grid.grid
    assert grid.name == "small net"
    assert grid.bus_ids == ("A", "B", "C", "D")
    assert [grid.kind_names[kind] for kind in grid.kinds] == ["line", "line", "transformer", "link"]
    assert grid.features[:, 0].tolist() == [10.0, 0.0, 0.0, 35.5]
    report = report_of(read_grid)
    assert report["dropped"]["out_of_service_branches"] == 1
    assert report["tables_not_read"] == {"stores": 1}
    assert "of the time series loads-p_set the first snapshot is used" in report["notes"]
    assert any(note.startswith("1 line(s) have a type") for note in report["notes"])


def test_lines_with_a_type_use_its_length_and_circuits() -> None:
    columns = _branch_columns(_read())
    ohm = 380**2 / 100
    assert columns["x"][0] == pytest.approx(0.246 * 100 / 2 / ohm)
    assert columns["b"][0] == pytest.approx(2 * math.pi * 50 * 13.8e-9 * 100 * 2 * ohm)
    assert columns["r"][1] == pytest.approx(4.84 / (220**2 / 100))
    assert columns["rating"][1] == 0.0  # infinite: no limit
    assert columns["x"][2] == pytest.approx(0.1 * 100 / 2000)
    assert (columns["tap"][2], columns["shift"][2]) == (1.1, 5.0)


def test_a_type_of_the_file_overrides_the_known_ones() -> None:
    types = "name,f_nom,r_per_length,x_per_length,c_per_length\nunknown type,50,0.1,0.4,9\n"
    read_grid = _read(line_types=types)
    assert not any("have a type" in note for note in read_grid.report.notes)


def test_places_substations_and_texts() -> None:
    grid = _read().grid
    assert grid.coordinate_system == "geographic"
    assert grid.coordinates[3].tolist() == [11.0, 51.0]
    assert grid.substations is not None
    assert grid.substations.source == "file"
    assert grid.substations.find_name(2) == "north"
    assert set(grid.text_columns) == {"country", "operator"}
    assert grid.text_columns["operator"].values == ("Amprion", "TenneT", "tennet ;x")


def test_a_network_in_another_system_of_coordinates_is_a_drawing() -> None:
    network = PYPSA["net/network.csv"].replace("4326", "3035")
    assert _read(network=network).grid.coordinate_system == "schematic"


def test_buses_without_a_place_have_none() -> None:
    buses = "name,v_nom,x,y\nA,380,0,0\nB,380,0,0\nC,220,0,0\nD,220,0,0\n"
    grid = _read(buses=buses).grid
    assert grid.coordinate_system == "none"
    assert np.isnan(grid.coordinates).all()


def test_the_largest_plant_gives_the_fuel_and_the_control_the_type() -> None:
    generators = PYPSA["net/generators.csv"] + "g3,D,PQ,5,solar,0\ng4,A,PQ,5,wind,0\n"
    read_grid = _read(generators=generators)
    fuel = read_grid.grid.text_columns["fuel"]
    assert [fuel.find_text(bus) for bus in range(4)] == ["wind", "wind", None, "solar"]
    (types,) = (one for one in read_grid.label_sets if one.name == "bus_type")
    assert types.class_names[types.classes[1]] == "slack"


def test_all_unknown_buses_are_listed() -> None:
    with pytest.raises(GridRejected) as caught:
        _read(loads="name,bus\nl,nowhere\n", links="name,bus0,bus1\ndc,A,lost\n")
    assert [str(fault) for fault in caught.value.faults] == [
        "links row 1: bus1 'lost' is not a bus of the file",
        "loads row 1: bus 'nowhere' is not a bus of the file",
    ]


def test_an_uneven_table_names_its_rows() -> None:
    with pytest.raises(GridRejected) as caught:
        _read(lines="name,bus0,bus1\n1,A\n2,A,B\n3,A,B,C\n")
    assert [fault.where for fault in caught.value.faults] == ["lines row 1", "lines row 3"]
