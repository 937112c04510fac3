"""The page of the reproduction, written from stored results."""

import re
from pathlib import Path

import pytest

from experiments.paths import DOCS, RESULTS
from experiments.protocol import MeasuredRun
from experiments.report.document import write_document
from experiments.runs import Cell, add_run
from experiments.tables.table import TABLE_NAMES, choose_jobs, get_table


def store(results: Path, table: str, dataset: str, method: str, accuracy: float) -> None:
    cell = Cell(table, dataset, "published", method)
    for seed in range(3):
        run = MeasuredRun(seed, accuracy + 0.01 * seed, 0.5, 0.5, 1.0, 3, 5, 0.1)
        add_run(cell, results, "hash", run)


def write(results: Path, name: str) -> str:
    docs = results / name
    docs.mkdir()
    return write_document(results, docs).read_text(encoding="utf-8")


def test_the_document_is_the_same_every_time(tmp_path: Path) -> None:
    store(tmp_path, "undirected", "cora", "lfgcn", 0.8)
    store(tmp_path, "undirected", "cora", "gcn", 0.7)
    assert write(tmp_path, "one") == write(tmp_path, "two")


def test_a_stored_cell_is_shown_with_the_papers_figure(tmp_path: Path) -> None:
    store(tmp_path, "undirected", "cora", "gcn", 0.8)
    assert "| GCN | 81.50 | 81.00 (1.00) | 3 |" in write(tmp_path, "docs")


def test_columns_without_results_are_marked_as_not_run(tmp_path: Path) -> None:
    page = write(tmp_path, "docs")
    assert page.count("Not run") >= len(get_table("undirected").columns)


def test_a_lost_comparison_is_stated(tmp_path: Path) -> None:
    store(tmp_path, "undirected", "cora", "lfgcn", 0.7)
    store(tmp_path, "undirected", "cora", "gmnn", 0.8)
    page = write(tmp_path, "docs")
    assert "LFGCN is significantly below the best rival, GMNN" in page


def test_a_lead_over_rivals_that_were_not_run_is_marked(tmp_path: Path) -> None:
    store(tmp_path, "undirected", "cora", "lfgcn", 0.83)
    store(tmp_path, "undirected", "cora", "gcn", 0.8)
    assert re.search(r"\| cora \|.*\| yes, but \d+ of \d+ were not run \|", write(tmp_path, "docs"))


def test_rivals_written_here_are_compared_with_published_figures(tmp_path: Path) -> None:
    store(tmp_path, "undirected", "cora", "vpn", 0.81)
    store(tmp_path, "undirected", "citeseer", "vpn", 0.60)
    page = write(tmp_path, "docs")
    assert "| VPN | cora | 81.89 (0.57) | 82.00 (1.00) | +0.11 | yes |" in page
    assert "| VPN | citeseer | 71.40 (0.32) | 61.00 (1.00) | -10.40 | no |" in page
    assert "| VPN | pubmed | 79.60 (0.39) | not run | | |" in page


@pytest.mark.parametrize("name", TABLE_NAMES)
def test_no_table_lists_a_job_twice(name: str) -> None:
    cells = [job.cell for job in get_table(name).jobs()]
    assert len(set(cells)) == len(cells)


def test_jobs_can_be_chosen_by_data_set() -> None:
    assert {job.cell.dataset for job in choose_jobs("sc500")} == {"sc500"}


def test_an_unknown_name_has_no_jobs() -> None:
    with pytest.raises(KeyError):
        choose_jobs("nothing")


def test_the_committed_page_and_charts_are_those_of_the_committed_results(tmp_path: Path) -> None:
    page = write_document(RESULTS, tmp_path)
    assert page.read_text(encoding="utf-8") == (DOCS / page.name).read_text(encoding="utf-8")
    charts = list((tmp_path / "images").iterdir())
    assert len(charts) == 6
    for chart in charts:
        assert chart.read_text() == (DOCS / "images" / chart.name).read_text(), chart.name


def test_every_link_of_the_committed_page_leads_to_a_file() -> None:
    page = (DOCS / "reproduction.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#][^)]*)\)", page):
        assert (DOCS / target.partition("#")[0]).exists(), target
