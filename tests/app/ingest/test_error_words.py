"""What a user is told of a file that cannot be read: the place in the words of the file."""

import pytest

from app.errors import GridRejected
from app.ingest import csv_tables, graphml, node_link
from app.ingest.formats import choose_reader
from app.ingest.sandbox import Confinement
from app.ingest.topology import GridLimits
from app.ingest.uploads import Upload, read_upload
from ml.errors import Fault
from tests.app.ingest.requests import SMALL_CASE, ask

LIMITS = GridLimits(1000, 1000)


def _refusal(upload: Upload) -> list[Fault]:
    with pytest.raises(GridRejected) as caught:
        read_upload(upload, LIMITS, Confinement())
    return list(caught.value.faults)


def test_csv_names_rows_and_columns() -> None:
    with pytest.raises(GridRejected) as caught:
        csv_tables.read(ask("csv", "source,target,weight\n1,2,x\n2,3,-1\n"))
    assert caught.value.faults == (
        Fault("file row 1 weight", "is not a finite number"),
        Fault("file row 2 weight", "-1 is not positive"),
    )


def test_csv_with_a_file_of_buses_names_the_row_of_the_branch() -> None:
    request = ask("csv", "source,target\n1,2\n2,3\n")
    request.files["buses"] = b"id\n1\n2\n"
    with pytest.raises(GridRejected) as caught:
        csv_tables.read(request)
    assert caught.value.faults == (Fault("file row 2 target", "there is no bus '3'"),)


def test_graphml_and_node_link_name_edges() -> None:
    text = '<graphml><graph><node id="a"/><edge source="a" target="z"/></graph></graphml>'
    with pytest.raises(GridRejected) as caught:
        graphml.read(ask("graphml", text))
    assert caught.value.faults == (Fault("edge 1 target", "there is no bus 'z'"),)
    with pytest.raises(GridRejected) as caught:
        node_link.read(ask("json", '{"nodes": [{"id": " a"}], "edges": []}'))
    assert caught.value.faults == (Fault("node 1 id", "begins or ends with a blank"),)


def test_a_json_file_is_called_a_file_not_a_body() -> None:
    with pytest.raises(GridRejected, match="The file is not acceptable JSON") as caught:
        node_link.read(ask("json", "{"))
    assert caught.value.faults[0].where == "file"


def test_a_case_is_not_asked_for_by_a_file() -> None:
    with pytest.raises(GridRejected) as caught:
        node_link.read(ask("json", '{"case": "case118"}'))
    assert "JSON body" in caught.value.faults[0].problem


@pytest.mark.parametrize("said", ["csv", "psse", "cgmes"])
def test_a_format_that_is_said_wrongly_is_doubted(said: str) -> None:
    faults = _refusal(Upload(SMALL_CASE.encode(), said))
    doubt = Fault("format", f"was said to be {said}; the file looks like matpower")
    assert faults[-1] == doubt


def test_one_profile_of_cgmes_is_recognised() -> None:
    with pytest.raises(GridRejected) as caught:
        choose_reader(b'<?xml version="1.0"?><rdf:RDF xmlns:cim="x"/>', None)
    assert "all profiles in one zip" in caught.value.faults[0].problem


def test_all_options_that_there_are_not_are_listed() -> None:
    upload = Upload(SMALL_CASE.encode(), weight="heavy", check="all", columns="x", name=" y")
    assert [fault.where for fault in _refusal(upload)] == ["weight", "check", "columns", "name"]
