"""Rows of label files find their bus; every other row is reported by its line."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from app.errors import LabelsRejected
from app.grid.grid import Grid
from app.labels.files.placement import FileChoice, LabelFileReport, place_table
from app.labels.files.table import read_label_table
from tests.app.grid.small_grids import make_grid
from tests.app.samples import post_graph


def _grid() -> Grid:
    """Three buses: a and b at one place in Austin, c about 111 m north; b and c share a name."""
    places = np.array([[-97.74, 30.27], [-97.74, 30.27], [-97.74, 30.271]])
    return replace(
        make_grid(),
        aliases={"name": ("North", "Twin", "Twin"), "number": ("1", "2", "b")},
        coordinates=places,
        coordinate_system="geographic",
    )


def _place(text: str, **choice: Any) -> tuple[dict[str, str], LabelFileReport]:
    options = FileChoice(**choice)
    table = read_label_table(text.encode(), options.by, options.label_column)
    label_set, report = place_table(_grid(), "zone", table, options)
    named = zip("abc", label_set.classes, strict=True)
    return {bus: label_set.class_names[code] for bus, code in named if code >= 0}, report


def _faults(text: str, **choice: Any) -> dict[str, str]:
    with pytest.raises(LabelsRejected) as caught:
        _place(text, **choice)
    return {fault.where: fault.problem for fault in caught.value.faults}


def test_buses_are_found_by_id_name_and_alias() -> None:
    assert _place("bus,label\na,x\n2,y\n")[0] == {"a": "x", "b": "y"}
    assert _place("name;zone\nNorth;x\n")[0] == {"a": "x"}


def test_an_id_goes_before_an_alias_and_a_name_before_an_id() -> None:
    assert _place("bus,label\nb,x\n")[0] == {"b": "x"}
    assert _place("name,label\nb,x\n")[0] == {"c": "x"}


def test_the_nearest_bus_takes_the_class_within_the_distance() -> None:
    placed, report = _place("lat,lon,label\n30.2712,-97.74,x\n", within_metres=50)
    assert placed == {"c": "x"}
    assert report.farthest_metres == pytest.approx(22.2, abs=0.1)  # 0.0002 degrees of latitude
    faults = _faults("lat,lon,label\n30.2712,-97.74,x\n", within_metres=20)
    assert faults["line 2"] == "no bus within 20 m: the nearest, 'c', is 22 m away"


def test_decimal_commas_are_read() -> None:
    assert _place("lat;lon;label\n30,271;-97,74;x\n")[0] == {"c": "x"}


def test_a_place_of_two_buses_is_ambiguous_unless_all_are_labelled() -> None:
    text = "lat,lon,label\n30.27,-97.74,x\n"
    assert _faults(text)["line 2"] == "2 buses are at the nearest place: a, b"
    assert _place(text, ambiguous="all")[0] == {"a": "x", "b": "x"}


def test_every_bad_row_is_listed_by_its_line_with_the_reason() -> None:
    text = "id,name,label\na,,x\nA,,x\nq,,x\n,Twin,x\na,North,y\nb,North,x\n,,x\nc,,x\nc,,x\n"
    assert _faults(text) == {
        "line 3": "no bus has the id or alias 'A'; did you mean 'a'?",
        "line 4": "no bus has the id or alias 'q'",
        "line 5": "2 buses have this name: b, c",
        "line 6": "bus 'a' is 'y' here and 'x' on line 2",
        "line 7": "'b' and 'North' are different buses",
        "line 8": "names no bus",
    }


def test_skipped_and_repeated_rows_are_in_the_report() -> None:
    text = "bus,label\na,x\nq,x\nTwin,y\na,x\nc,\n"
    placed, report = _place(text, unknown="skip", ambiguous="skip")
    assert placed == {"a": "x"}
    assert [(note.row, note.problem) for note in report.skipped.rows] == [
        ("line 3", "no bus has the id or alias 'q'"),
        ("line 4", "2 buses have this name: b, c"),
    ]
    assert [note.row for note in report.repeated.rows] == ["line 5"]
    assert (report.rows, report.without_label) == (5, 1)


def test_contradictions_and_broken_rows_are_never_skipped() -> None:
    text = "bus,label\na,x\na,y\nb\nc,z\n"
    faults = _faults(text, unknown="skip", ambiguous="skip")
    assert list(faults) == ["line 3", "line 4"]


@pytest.mark.parametrize("row", ["91,0", "x,0", ",5", "nan,0", "1e999,0", "0,181"])
def test_invalid_coordinates_are_reported(row: str) -> None:
    assert "no valid latitude" in _faults(f"lat,lon,label\n{row},x\n", unknown="skip")["line 2"]


def test_coordinates_need_a_geographic_grid() -> None:
    table = read_label_table(b"lat,lon,label\n1,1,x\n")
    for system in ("schematic", "none"):
        grid = replace(_grid(), coordinate_system=system)
        with pytest.raises(LabelsRejected, match="coordinates only"):
            place_table(grid, "zone", table, FileChoice())


def test_names_across_the_date_line_are_near() -> None:
    grid = replace(_grid(), coordinates=np.array([[179.9999, 0.0], [10.0, 0.0], [20.0, 0.0]]))
    table = read_label_table(b"lat,lon,label\n0,-179.9999,x\n")
    label_set, report = place_table(grid, "zone", table, FileChoice())
    assert label_set.classes.tolist() == [0, -1, -1]
    assert report.farthest_metres == pytest.approx(22.2, abs=0.1)


def _upload(api: TestClient, graph_id: str, content: bytes, **fields: str) -> Any:
    files = {"file": ("labels.csv", content)}
    return api.post(f"/graphs/{graph_id}/labels", files=files, data={"name": "side"} | fields)


def test_a_file_with_bad_rows_is_refused_as_a_whole_and_taken_on_request(api: TestClient) -> None:
    graph_id = post_graph(api)
    content = b"bus_id;zone\n1;west\n99;west\n2;east\n"
    refused = _upload(api, graph_id, content)
    assert refused.status_code == 422
    assert refused.json()["errors"] == [
        {"where": "line 3", "problem": "no bus has the id or alias '99'"}
    ]
    assert "`unknown=skip`" in refused.json()["detail"]
    assert "side" not in [
        one["name"] for one in api.get(f"/graphs/{graph_id}/labels").json()["items"]
    ]
    taken = _upload(api, graph_id, content, unknown="skip")
    assert taken.status_code == 201
    assert taken.json()["class_counts"] == {"east": 1, "west": 1}
    report = taken.json()["report"]
    assert report["skipped"] == {
        "count": 1,
        "rows": [{"row": "line 3", "problem": "no bus has the id or alias '99'"}],
    }
    assert report["columns"] == {"label": "zone", "bus": "bus_id"}


def test_a_json_file_is_taken(api: TestClient) -> None:
    content = b'[{"name": "Bus 1", "label": "a"}, {"name": "Bus 2", "label": "b"}]'
    answer = _upload(api, post_graph(api), content)
    assert answer.status_code == 201, answer.text


@pytest.mark.parametrize(
    "field",
    [
        {"unknown": "maybe"},
        {"ambiguous": "1"},
        {"within_metres": "-1"},
        {"within_metres": "nan"},
        {"within_metres": "far"},
        {"by": "luck"},
    ],
)
def test_wrong_fields_of_the_form_are_named(api: TestClient, field: dict[str, str]) -> None:
    answer = _upload(api, post_graph(api), b"bus,label\n1,a\n2,b\n", **field)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["where"] == next(iter(field))
