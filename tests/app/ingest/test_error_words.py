"""Error messages about files: places are named as in the file."""

import pytest
from starlette.testclient import TestClient

from app.errors import GridRejected
from app.ingest.formats import choose_format, csv_tables, graphml, node_link
from app.ingest.protocol import ReadLimits, ReadOptions
from app.ingest.upload import Upload, read_upload
from ml.errors import Fault
from tests.app.ingest.requests import SMALL_CASE, ask

LIMITS = ReadLimits(1000, 1000)


def _refusal(upload: Upload) -> list[Fault]:
    with pytest.raises(GridRejected) as caught:
        read_upload(upload, LIMITS)
    return list(caught.value.faults)


def _csv_faults(branches: str, buses: str | None = None) -> list[str]:
    request = ask("csv", branches)
    if buses is not None:
        request.files["buses"] = buses.encode()
    with pytest.raises(GridRejected) as caught:
        csv_tables.read(request)
    return [str(fault) for fault in caught.value.faults]


def test_csv_names_lines_and_columns() -> None:
    assert _csv_faults("from,to,weight\n1,2,x\n\n2,3,-1\n3,,1\n4, 5,1\n") == [
        "file line 5 to: is empty",
        "file line 2 weight: is not a finite number",
        "file line 6 to: begins or ends with a blank",
        "file line 4 weight: -1 is not positive",
    ]


def test_csv_counts_the_lines_of_quoted_cells() -> None:
    text = 'source,target,note\n1,2,"two\nlines"\n1,,x\n1,2\n'
    assert _csv_faults(text) == [
        "file line 5: has 2 cell(s), the header has 3",
        "file line 4 target: is empty",
    ]


def test_csv_with_a_file_of_buses_names_the_lines_of_both() -> None:
    assert _csv_faults("source,target\n1,2\n2,3\n", "bus,lat,lon\n1,1,1\n2,99,0\n1,,\n") == [
        "buses line 4 bus: '1' is also the id of buses line 2",
        "buses line 3 lat: 99 is not within ±90",
        "file line 3 target: there is no bus '3'",
    ]


def test_an_unreadable_row_neither_hides_nor_adds_other_faults() -> None:
    branches = "source,target,weight\n1,2\n1,,1\n1,2,abc\n2,1,-3\n1,3,1,1\n"
    uneven = ["file line 2: has 2 cell(s), the header has 3"]
    uneven += ["file line 6: has 4 cell(s), the header has 3"]
    others = ["file line 3 target: is empty", "file line 4 weight: is not a finite number"]
    others += ["file line 5 weight: -3 is not positive"]
    assert _csv_faults(branches) == [*uneven, *others]
    broken = "id,lat\n1,x\n2\n"  # bus 2 is there, if only its row were longer
    assert _csv_faults(branches, broken) == [
        *uneven,
        others[0],
        "buses line 3: has 1 cell(s), the header has 2",
        *others[1:],
    ]
    lost = "name,lat\n1,2\n"
    assert "buses line 1: lacks the column(s) id" in _csv_faults(branches, lost)
    assert set(others) < set(_csv_faults(branches, lost))


def test_graphml_and_node_link_name_edges() -> None:
    text = '<graphml><graph><node id="a"/><edge source="a" target="z"/></graph></graphml>'
    with pytest.raises(GridRejected) as caught:
        graphml.read(ask("graphml", text))
    assert caught.value.faults == (Fault("edge 1 target", "there is no bus 'z'"),)
    with pytest.raises(GridRejected) as caught:
        node_link.read(ask("json", '{"nodes": [{"id": " a"}], "edges": []}'))
    assert caught.value.faults == (Fault("node 1 id", "begins or ends with a blank"),)


def test_messages_about_a_json_file_say_file_not_body() -> None:
    with pytest.raises(GridRejected, match="The file is not acceptable JSON") as caught:
        node_link.read(ask("json", "{"))
    assert caught.value.faults[0].where == "file"


def test_a_file_cannot_name_a_case() -> None:
    with pytest.raises(GridRejected) as caught:
        node_link.read(ask("json", '{"case": "case118"}'))
    assert "JSON body" in caught.value.faults[0].problem


@pytest.mark.parametrize("form", ["csv", "psse", "cgmes"])
def test_a_wrong_format_is_reported_with_the_format_of_the_content(form: str) -> None:
    faults = _refusal(Upload(SMALL_CASE.encode(), form))
    doubt = Fault("format", f"is given as {form}; the file looks like matpower")
    assert faults[-1] == doubt


def test_one_profile_of_cgmes_is_recognised() -> None:
    with pytest.raises(GridRejected) as caught:
        choose_format(b'<?xml version="1.0"?><rdf:RDF xmlns:cim="x"/>', None)
    assert "all profiles in one zip" in caught.value.faults[0].problem


def test_all_wrong_options_are_listed() -> None:
    upload = Upload(SMALL_CASE.encode(), options=ReadOptions("heavy", "all", "x", " y"))
    assert [fault.where for fault in _refusal(upload)] == ["weight", "check", "columns", "name"]


def test_options_and_files_are_refused_together() -> None:
    upload = Upload(b" ", "xyz", buses=b"id\n", options=ReadOptions(weight="heavy"))
    assert [fault.where for fault in _refusal(upload)] == ["file", "buses", "format", "weight"]


def test_all_faults_of_a_form_are_listed(api: TestClient) -> None:
    fields = {"format": "xyz", "weight": "bogus", "foo": "1"}
    answer = api.post("/graphs", files={"file": ("x.m", SMALL_CASE.encode())}, data=fields)
    assert answer.status_code == 400
    assert [fault["where"] for fault in answer.json()["errors"]] == ["foo", "format", "weight"]
    answer = api.post("/graphs", files={"buses": ("b", b"id\n1\n")}, data={"weight": "bogus"})
    assert answer.status_code == 422
    assert [fault["where"] for fault in answer.json()["errors"]] == ["file", "weight"]


def test_csv_of_buses_alone_gets_a_hint_about_the_columns_of_branches() -> None:
    (fault,) = _refusal(Upload(b"id,load\n1,2\n"))
    assert "needs the columns source and target" in fault.problem
    (fault,) = _refusal(Upload(b"hello"))
    assert "columns" not in fault.problem
