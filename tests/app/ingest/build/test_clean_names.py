"""Control and bidirectional characters in names are replaced and counted, in every format."""

import msgspec
import pytest

from app.errors import GridRejected
from app.grid.listing import Listing
from app.grid.report import ReadGrid
from app.grid.text_rules import find_text_problem, replace_controls
from app.ingest.build.clean_names import NameCleaner
from app.ingest.build.topology import read as read_topology
from app.ingest.formats import csv_tables
from app.ingest.formats.matpower import reader as matpower
from app.ingest.formats.opendss import network as opendss
from app.ingest.protocol import Request
from tests.app.ingest.requests import SMALL_CASE, ask


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("plain", "plain"),
        ("Köln – Süd\u00a0", "Köln – Süd\u00a0"),
        ("a\tb", "a b"),
        ("a\r\n", "a"),
        ("a\x1b[31mb", "a\ufffd[31mb"),
        ("\u202eevil", "\ufffdevil"),
        ("a\u2066b\u2069", "a\ufffdb\ufffd"),
        ("\x07", "\ufffd"),
    ],
)
def test_characters_are_replaced(text: str, clean: str) -> None:
    assert replace_controls(text) == clean
    assert replace_controls(clean) == clean
    assert find_text_problem(clean.strip()) is None


def test_the_cleaner_counts_what_it_changes() -> None:
    cleaner = NameCleaner()
    assert cleaner.clean(["a", "b\x00", "c\u200f", ""]) == ("a", "b\ufffd", "c\ufffd", "")
    assert cleaner.list_changed() == Listing(2, ["b\ufffd", "c\ufffd"])


def _topology() -> ReadGrid:
    buses = [{"id": "a", "name": "A\x1b", "substation": "S\u202e"}, {"id": "b", "name": "B"}]
    body = {"buses": buses, "branches": [{"from": "a", "to": "b"}]}
    return read_topology(Request("topology", {"file": msgspec.json.encode(body)}))


def test_a_topology_keeps_its_buses() -> None:
    read = _topology()
    assert read.report.names_cleaned == Listing(2, ["A\ufffd", "S\ufffd"])
    assert read.grid.bus_names == ("A\ufffd", "B")


def test_names_of_a_matpower_case_are_cleaned() -> None:
    read = matpower.read(ask("matpower", SMALL_CASE.replace("'Ten'", "'T\u202een'")))
    assert read.grid.bus_names[2] == "T\ufffden"
    assert read.report.names_cleaned == Listing(1, ["T\ufffden"])


def test_ids_of_a_table_are_cleaned_where_they_are_named() -> None:
    read = csv_tables.read(ask("csv", "source,target\na\x07,b\nb,a\x07\n"))
    assert read.grid.bus_ids == ("a\ufffd", "b")
    assert read.grid.branch_count == 2
    assert read.report.names_cleaned.count == 1


def test_two_ids_that_become_one_are_refused() -> None:
    with pytest.raises(GridRejected) as caught:
        csv_tables.read(ask("csv", "source,target\na\x07,b\nb,a\x06\n"))
    assert "also the id" in caught.value.faults[0].problem


def test_buses_of_opendss_are_cleaned() -> None:
    script = "New Circuit.c bus1=a\nNew Line.l bus1=a bus2=b\u202ec x1=1 r1=1 length=1\n"
    read = opendss.read(ask("opendss", script))
    assert read.grid.bus_ids == ("a", "b\ufffdc")
    assert read.report.names_cleaned.count >= 1
