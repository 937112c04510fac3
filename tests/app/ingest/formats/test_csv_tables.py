import pytest

from app.errors import GridRejected
from app.grid.report import ReadGrid
from app.ingest.formats import csv_tables
from app.ingest.protocol import ReadLimits, Request
from tests.app.ingest.requests import ask, report_of


def _read(branches: str, buses: str | None = None, **options: str) -> ReadGrid:
    request = ask("csv", branches, **options)
    if buses is not None:
        request = Request("csv", request.files | {"buses": buses.encode()}, request.options)
    return csv_tables.read(request)


def test_ids_stay_text() -> None:
    grid = _read("source,target\n007,7\n7,NA\nNA,1e3\n").grid
    assert grid.bus_ids == ("007", "7", "NA", "1e3")


def test_the_given_weight_is_used_unless_weight_is_one() -> None:
    text = "source,target,weight\na,b,2.5\nb,c,1\n"
    assert _read(text).grid.weights.tolist() == [2.5, 1]
    assert _read(text, weight="one").grid.weights.tolist() == [1, 1]
    with pytest.raises(GridRejected):
        _read(text, weight="rating")


def test_a_file_of_buses_gives_features_names_places_and_labels() -> None:
    buses = "id,name,Pd,zone,role,lat,lon\n1,Ost,3.5,01,load,51,7\n2,West,0,02,,52,8\n"
    read = _read("source,target\n1,2\n", buses)
    grid = read.grid
    assert grid.feature_names == ("Pd",)
    assert grid.bus_names == ("Ost", "West")
    assert grid.coordinate_system == "geographic"
    assert {label_set.name: label_set.class_names for label_set in read.label_sets} == {
        "role": ("load",),
        "zone": ("01", "02"),
    }


def test_bus_columns_with_cells_that_are_not_numbers_are_reported() -> None:
    read = _read("source,target\n1,2\n", "id,Pd,owner\n1,,A\n2,3,B\n")
    assert report_of(read)["columns_not_kept"] == [
        {"name": "Pd", "not_numbers": {"count": 1, "first": ["buses line 2: empty"]}},
        {
            "name": "owner",
            "not_numbers": {"count": 2, "first": ["buses line 2: 'A'", "buses line 3: 'B'"]},
        },
    ]
    assert read.grid.feature_names == ("degree",)
    assert not any("given" in note for note in read.report.notes)
    assert any("every bus has a number" in note for note in read.report.notes)


def test_notes_report_branch_columns_and_places_that_are_not_numbers() -> None:
    buses = "id,lat,lon\n1,51,7\n2,52,east\n3,,\n4,53,\n"
    read = _read("source,target,r,owner\n1,2,0.1,A\n2,3,none,B\n3,4,1,C\n", buses)
    assert read.grid.branch_columns.names == ()
    notes = read.report.notes
    assert "Columns left out because not every branch has a number there: 'owner', 'r'." in notes
    place = "2 buses have no place: lat and lon are not two numbers; first: buses line 3."
    assert place in notes
    whole = _read("source,target,r\n1,2,0.1\n", "id,lat,lon\n1,0,0\n2,,\n").report.notes
    assert not any("left out" in note or "no place" in note for note in whole)


def test_half_a_coordinate_of_zero_is_reported() -> None:
    read = _read("source,target\n1,2\n2,3\n", "id,lat,lon\n1,0,\n2,,0\n3,0,0\n")
    assert "2 buses have no place" in " ".join(read.report.notes)


def test_other_numbers_of_branches_become_branch_columns() -> None:
    grid = _read("from;to;r;x\n1;2;0.1;0.2\n2;2;1;1\n2;3;0.3;0.4\n").grid
    assert grid.branch_columns.names == ("r", "x")
    assert grid.branch_columns.values.tolist() == [[0.1, 0.2], [0.3, 0.4]]


def test_quoted_cells_may_hold_the_delimiter() -> None:
    assert _read('source,target\n"a,b","c ""d"""\n').grid.bus_ids == ("a,b", 'c "d"')


@pytest.mark.parametrize(
    ("branches", "buses"),
    [
        ("", None),
        ("a,b\n1,2\n", None),
        ("source,target,source\n1,2,3\n", None),
        ("source,target,\n1,2,3\n", None),
        ("source,target\n1\n", None),
        ("source,target\n1,2,3\n", None),
        ('source,target\n"1"x,2\n', None),
        ('source,target\n"1,2\n', None),
        ("source,target\n1,\n", None),
        ("source,target,weight\n1,2,nan\n", None),
        ("source,target,weight\n1,2,-1\n", None),
        ("source,target,weight\n1,2,1e999\n", None),
        ("source,target\n1,2\0\n", None),
        ("source,target\n1,3\n", "id\n1\n2\n"),
        ("source,target\n1,2\n", "id\n1\n2\n2\n"),
        ("source,target\n1,2\n", "name\n1\n2\n"),
    ],
)
def test_broken_tables_are_refused(branches: str, buses: str | None) -> None:
    with pytest.raises(GridRejected) as caught:
        _read(branches, buses)
    assert caught.value.faults


def test_more_rows_than_the_limit_are_refused() -> None:
    request = Request(
        "csv", {"file": b"source,target\n1,2\n2,3\n3,4\n"}, limits=ReadLimits(branches=2)
    )
    with pytest.raises(GridRejected, match="cannot be read"):
        csv_tables.read(request)


def test_bytes_that_are_not_utf8_are_refused() -> None:
    with pytest.raises(GridRejected):
        csv_tables.read(ask("csv", b"source,target\n\xff,2\n"))
