"""Statements: included files, what is counted, and what is rejected."""

from collections.abc import Mapping

import pytest

from app.errors import GridRejected
from app.ingest.formats import find_format
from tests.app.ingest.formats.opendss.circuits import FEEDER, pack, read_files, read_script
from tests.app.ingest.requests import report_of

HEAD = "New Circuit.c basekv=12.47 bus1=s\n"
LINE = "New Line.l bus1=s bus2=t\n"


def test_files_are_found_whatever_their_case_and_folder() -> None:
    read = read_files(
        {
            "Feeder/Master.DSS": HEAD + "Redirect sub\\LINES.dss\nBuscoords 'Coords.CSV'\n",
            "feeder/SUB/lines.dss": LINE + 'Redirect "more"\n',
            "feeder/sub/More.dss": "New Line.m bus1=t bus2=u\n",
            "Feeder/coords.csv": "s, 1, 2\nt 3 4\nunreadable\n",
        }
    )
    assert read.grid.bus_ids == ("s", "t", "u")
    assert read.grid.coordinates[:2].tolist() == [[1, 2], [3, 4]]
    assert read.grid.coordinate_system == "schematic"
    assert read.report.files_missing == []
    assert any("1 row(s) of bus coordinates" in note for note in read.report.notes)


def test_latitude_and_longitude_are_geographic() -> None:
    places = "s, 48.1, 11.5\nt, 148.1, 11.5\n"
    read = read_files({"a.dss": HEAD + LINE + "LatLongCoords p.csv", "p.csv": places})
    assert read.grid.coordinate_system == "geographic"
    assert read.grid.coordinates[0].tolist() == [11.5, 48.1]


def test_a_missing_file_is_reported_and_reading_goes_on() -> None:
    read = read_files({"a.dss": HEAD + "Redirect absent.dss\nBuscoords nowhere.txt\n" + LINE})
    assert read.report.files_missing == ["absent.dss", "nowhere.txt"]
    assert read.grid.branch_count == 1


def test_unread_statements_are_counted_by_kind() -> None:
    more = "New Monitor.a\n~ mode=1\nNew Monitor.b\nSet mode=daily\nPlot x\nfrobnicate\nSolve\n"
    report = report_of(read_script(HEAD + LINE + more))
    assert report["statements_not_read"] == {
        "new monitor": 2,
        "plot": 1,
        "set mode": 1,
        "solve": 1,
        "unknown command": 1,
    }


def test_unknown_properties_and_references_are_noted() -> None:
    read = read_script(HEAD + LINE + "New Line.n bus1=t bus2=v colour=red linecode=none like=x\n")
    assert any("2 propert(ies) or references are unknown" in note for note in read.report.notes)
    assert any("1 line(s) have no impedance" in note for note in read.report.notes)
    assert read.grid.branch_count == 2


@pytest.mark.parametrize(
    ("statement", "branches"),
    [
        ("Open Line.l 1", 0),
        ("Open Line.l term=1 cond=0", 0),
        ("Open Line.l 1 2", 1),
        ("Open Line.l 1\nClose Line.l 1", 1),
        ("Disable Line.l", 0),
        ("Disable Line.l\nEnable Line.l", 1),
        ("Line.l.enabled=no", 0),
        ("Select Line.l\nenabled=n", 0),
        ("Open Line.other", 1),
    ],
)
def test_open_and_disabled_lines_are_out_of_service(statement: str, branches: int) -> None:
    read = read_script(HEAD + LINE + "New Load.x bus1=t kw=1\n" + statement)
    assert read.grid.bus_ids == ("s", "t")
    assert read.grid.branch_count == branches


def test_reading_starts_at_the_master() -> None:
    files = {
        "a_run.dss": "Compile master_2.dss\nEdit Load.x kw=99\n",
        "master_2.dss": HEAD + LINE + "New Load.x bus1=t kw=1\n",
        "other.dss": "New Circuit.other\nNew Line.z bus1=sourcebus bus2=q\n",
    }
    read = read_files(files)
    assert read.grid.name == "c"
    assert "read from master_2.dss" in read.report.notes
    assert any("a_run.dss, other.dss" in note for note in read.report.notes)
    renamed = read_files(files | {"Master.dss": files["a_run.dss"]})
    assert "read from Master.dss" in renamed.report.notes
    assert float(renamed.grid.features[:, 0].sum()) == pytest.approx(0.099)


def test_a_new_circuit_replaces_the_one_before() -> None:
    read = read_script(HEAD + LINE + "Clear\nNew Circuit.d bus1=p\nNew Line.l bus1=p bus2=q\n")
    assert (read.grid.name, read.grid.bus_ids) == ("d", ("p", "q"))


def _refuse(files: Mapping[str, str | bytes]) -> list[str]:
    with pytest.raises(GridRejected) as caught:
        read_files(files)
    return [f"{fault.where}: {fault.problem}" for fault in caught.value.faults]


@pytest.mark.parametrize("path", ["/etc/passwd", "C:\\a.dss", "../a.dss", "x/../../a.dss", "~/a"])
@pytest.mark.parametrize("verb", ["Redirect", "Compile", "Buscoords"])
def test_a_path_out_of_the_archive_is_refused(path: str, verb: str) -> None:
    faults = _refuse({"a.dss": HEAD + LINE + f'{verb} "{path}"\n', "../a.dss": "x"})
    assert faults == [
        "a.dss line 3: names a file outside the upload: use a path inside the archive"
    ]


@pytest.mark.parametrize("statement", ["Shell rm -rf /", "DOScmd del *", "doscm x"])
def test_a_statement_that_runs_a_program_is_refused(statement: str) -> None:
    assert "runs a program" in _refuse({"a.dss": HEAD + LINE + statement})[0]


def test_a_file_that_includes_itself_is_refused() -> None:
    assert "includes itself" in _refuse({"a.dss": HEAD + LINE + "Redirect a.dss\n"})[0]
    ring = {"a.dss": HEAD + "Redirect b.dss\n", "b.dss": "Redirect a.dss\n"}
    assert "includes itself" in _refuse(ring)[0]
    deep = {f"f{at}.dss": f"Redirect f{at + 1}.dss\n" for at in range(30)}
    assert "too deep" in _refuse({"a.dss": HEAD + LINE + "Redirect f0.dss\n"} | deep)[0]
    wide = {f"f{at}.dss": f"Redirect f{at + 1}.dss\n" * 10 for at in range(10)}
    faults = _refuse({"a.dss": HEAD + LINE + "Redirect f0.dss\n"} | wide)
    assert "more than 2,000 files are included" in faults[-1]


def test_endless_continuations_are_refused() -> None:
    faults = _refuse({"a.dss": HEAD + LINE + "~ length=2\n" * 10_001})
    assert "continues a statement over more than 10,000 lines" in faults[-1]


def test_every_wrong_number_is_listed_with_its_place() -> None:
    text = HEAD + "New Line.l bus1=s bus2=t length=long\nNew Load.x bus1=t kw=1e999 pf=none\n"
    assert _refuse({"a.dss": text}) == [
        "a.dss line 2: line l: length is not a usable number: 'long'",
        "a.dss line 3: load x: pf is not a usable number: 'none'",
        "a.dss line 3: load x: kw is not a usable number: '1e999'",
    ]


def test_an_upload_without_a_circuit_is_refused() -> None:
    assert "New Circuit" in _refuse({"a.dss": LINE})[0]
    assert "ends without a circuit" in _refuse({"a.dss": HEAD + LINE + "Clear\n"})[0]
    assert "has no bus" in _refuse({"a.dss": HEAD + "New Line.l bus1=s\n"})[0]


def test_scripts_are_recognised_by_their_content() -> None:
    zipped = find_format(pack({"x/Master.DSS": FEEDER}))
    single = find_format(FEEDER.encode())
    assert zipped is not None
    assert single is not None
    assert (zipped.name, single.name) == ("opendss", "opendss")
    other = find_format(pack({"eq.xml": "<x/>"}))
    assert other is not None
    assert other.name == "cgmes"
