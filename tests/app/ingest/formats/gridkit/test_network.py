"""GridKit: single quotes, tags, three separators; a zip or two files."""

import numpy as np
import pytest
from starlette.testclient import TestClient

from app.errors import GridRejected
from app.ingest.formats import find_format
from app.ingest.formats.gridkit.network import read
from tests.app.ingest.archives import GRIDKIT, make_zip
from tests.app.ingest.requests import ask, report_of


def test_an_archive_gives_buses_branches_tags_and_places() -> None:
    content = make_zip(GRIDKIT)
    form = find_format(content)
    assert form is not None
    assert form.name == "gridkit"
    read_grid = read(ask("gridkit", content))
    grid = read_grid.grid
    assert grid.bus_ids == ("1", "2", "3")
    assert grid.aliases["name"] == ("Rio, Maior", "", "")
    assert [grid.kind_names[kind] for kind in grid.kinds] == ["line", "link", "transformer"]
    assert grid.coordinates[0].tolist() == [-8.9, 39.3]
    assert grid.find_column("base_kv").tolist() == [380.0, 220.0, 0.0]  # type: ignore[union-attr]
    assert grid.substations is not None
    assert grid.substations.groups.tolist() == [0, 0, 1]
    assert set(grid.text_columns) == {"symbol", "dc"}
    report = report_of(read_grid)
    assert report["dropped"]["self_loops"]["count"] == 1
    assert "1 branches under construction are part of the grid" in report["notes"]


def test_what_the_format_does_not_have_is_no_column() -> None:
    read_grid = read(ask("gridkit", make_zip(GRIDKIT)))
    assert read_grid.grid.feature_names == ("base_kv",)
    assert "Pg" not in read_grid.grid.bus_columns.names
    assert read_grid.grid.branch_columns.names == ()
    assert read_grid.label_sets == ()
    with pytest.raises(GridRejected) as caught:
        read(ask("gridkit", make_zip(GRIDKIT), weight="admittance"))
    assert "does not have" in caught.value.faults[0].problem
    checked = report_of(read(ask("gridkit", make_zip(GRIDKIT), check="power_flow")))
    flow = checked["power_flow"]
    assert (flow["done"], flow["reason"]) == (False, "the format has no impedances")


@pytest.mark.parametrize("separator", [",", ";", "#", "\t"])
@pytest.mark.parametrize("quote", ["'", '"'])
def test_separators_and_quotes(separator: str, quote: str) -> None:
    rows = ["l_id,v_id_1,v_id_2,name", f"1,a,b,{quote}x,y;z#{quote}"]
    lines = "\n".join(row.replace(",", separator, 3) for row in rows)
    form = find_format(lines.encode())
    assert form is not None
    assert form.name == "gridkit"
    assert read(ask("gridkit", lines)).grid.bus_ids == ("a", "b")


def test_voltages_in_volt_and_lists_of_voltages() -> None:
    request = ask("gridkit", "bus0,bus1\n1,2\n")
    request.files["buses"] = b"bus_id,voltage\n1,380000;220000\n2,220\n"
    grid = read(request).grid
    assert grid.find_column("base_kv").tolist() == [380.0, 220.0]  # type: ignore[union-attr]


def test_two_files_are_uploaded_like_csv(api: TestClient) -> None:
    files = {
        "file": ("lines.csv", GRIDKIT["grid/lines.csv"].encode()),
        "buses": ("buses.csv", GRIDKIT["grid/buses.csv"].encode()),
    }
    answer = api.post("/graphs", files=files)
    assert answer.status_code == 201
    assert answer.json()["report"]["format"] == "gridkit"
    assert answer.json()["bus_count"] == 3


def test_the_ends_are_the_buses_of_a_file_alone() -> None:
    read_grid = read(ask("gridkit", "bus0;bus1\n1;2\n2;3\n"))
    assert read_grid.grid.bus_ids == ("1", "2", "3")
    assert "The buses are the ends of the branches." in read_grid.report.notes
    assert np.isnan(read_grid.grid.coordinates).all()


def test_unknown_ends_and_missing_columns_are_faults() -> None:
    with pytest.raises(GridRejected) as caught:
        read(ask("gridkit", make_zip(GRIDKIT | {"grid/links.csv": "link_id,bus0,bus1\n1,2,9\n"})))
    assert [str(one) for one in caught.value.faults] == [
        "links row 1: bus1 '9' is not a bus of the file"
    ]
    with pytest.raises(GridRejected) as caught:
        read(ask("gridkit", make_zip(GRIDKIT | {"grid/links.csv": "link_id,bus0\n1,2\n"})))
    assert caught.value.faults[0].problem == "lacks the column(s) bus1"
