"""Columns of label files are recognised by many names."""

import pytest

from app.errors import LabelsRejected
from app.labels.files.header import find_columns


@pytest.mark.parametrize(
    ("header", "used"),
    [
        (["bus", "label"], {"bus": "bus", "label": "label"}),
        (["Bus ID", "Zone"], {"bus": "Bus ID", "label": "Zone"}),
        (["class", "bus_i"], {"bus": "bus_i", "label": "class"}),
        (["Name", "colour"], {"name": "Name", "label": "colour"}),
        (
            ["Latitude", "LONGITUDE", "operator", "remark"],
            {"latitude": "Latitude", "longitude": "LONGITUDE", "label": "operator"},
        ),
        (["id", "name", "type"], {"bus": "id", "name": "name", "label": "type"}),
    ],
)
def test_the_names_of_columns_are_recognised(header: list[str], used: dict[str, str]) -> None:
    assert find_columns(header).describe(header) == used


@pytest.mark.parametrize(
    ("header", "problems"),
    [
        (["a", "b"], ["no column of bus ids", "label_column"]),
        (["bus"], ["no column of classes"]),
        (["bus", "zone", "area"], ["label_column`: 'zone', 'area'"]),
        (["lat", "label"], ["not both columns of coordinates"]),
    ],
)
def test_missing_columns_are_all_named(header: list[str], problems: list[str]) -> None:
    with pytest.raises(LabelsRejected) as caught:
        find_columns(header)
    found = [fault.problem for fault in caught.value.faults]
    assert all(any(problem in one for one in found) for problem in problems), found


def test_the_request_names_the_column_of_classes_and_what_names_the_buses() -> None:
    header = ["id", "name", "zone", "area"]
    columns = find_columns(header, "name", "area")
    assert columns.describe(header) == {"name": "name", "label": "area"}
    with pytest.raises(LabelsRejected, match="lacks a column"):
        find_columns(header, "coordinates", "area")
    with pytest.raises(LabelsRejected) as caught:
        find_columns(header, None, "region")
    assert caught.value.faults[0].where == "label_column"
