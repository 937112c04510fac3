import re
from pathlib import Path

import pytest

from experiments.protocol import Measurement
from experiments.report.document import write_document
from experiments.runs import Cell, add_run
from experiments.tables.table import TABLE_NAMES, choose_jobs, get_table

SHOWN = Path(__file__).parents[3] / "docs"


def store(results: Path, table: str, dataset: str, method: str, accuracy: float) -> None:
    cell = Cell(table, dataset, "published", method)
    for seed in range(3):
        run = Measurement(seed, accuracy + 0.01 * seed, 0.5, 0.5, 1.0, 3, 5, 0.1)
        add_run(cell, results, "hash", run)


def write(results: Path, name: str) -> str:
    path = results / name
    write_document(results, path)
    return path.read_text(encoding="utf-8")


def test_the_document_is_the_same_every_time(tmp_path: Path) -> None:
    store(tmp_path, "undirected", "cora", "lfgcn", 0.8)
    store(tmp_path, "undirected", "cora", "gcn", 0.7)
    assert write(tmp_path, "one.md") == write(tmp_path, "two.md")


def test_a_stored_cell_stands_beside_the_papers_figure(tmp_path: Path) -> None:
    store(tmp_path, "undirected", "cora", "gcn", 0.8)
    assert "| GCN | 81.50 | 81.00 (1.00) | 3 |" in write(tmp_path, "page.md")


def test_what_was_not_run_says_so(tmp_path: Path) -> None:
    page = write(tmp_path, "page.md")
    assert page.count("Not run") >= len(get_table("undirected").columns)


def test_a_lost_comparison_is_stated(tmp_path: Path) -> None:
    store(tmp_path, "undirected", "cora", "lfgcn", 0.7)
    store(tmp_path, "undirected", "cora", "gmnn", 0.8)
    page = write(tmp_path, "page.md")
    assert "LFGCN is significantly below the best learned rival, GMNN" in page


def test_a_lead_over_rivals_that_were_not_run_is_told_as_such(tmp_path: Path) -> None:
    store(tmp_path, "undirected", "cora", "lfgcn", 0.83)
    store(tmp_path, "undirected", "cora", "gcn", 0.8)
    assert re.search(r"\| cora \|.*\| yes, but \d+ of \d+ were not run \|", write(tmp_path, "x.md"))


def test_rivals_written_here_are_held_against_what_was_published(tmp_path: Path) -> None:
    store(tmp_path, "undirected", "cora", "vpn", 0.81)
    store(tmp_path, "undirected", "citeseer", "vpn", 0.60)
    page = write(tmp_path, "page.md")
    assert "| VPN | cora | 81.89 (0.57) | 82.00 (1.00) | +0.11 | yes |" in page
    assert "| VPN | citeseer | 71.40 (0.32) | 61.00 (1.00) | -10.40 | no |" in page
    assert "| VPN | pubmed | 79.60 (0.39) | not run | | |" in page


@pytest.mark.parametrize("name", TABLE_NAMES)
def test_every_table_names_its_jobs_once(name: str) -> None:
    cells = [job.cell for job in get_table(name).jobs()]
    assert len(set(cells)) == len(cells)


def test_a_data_set_can_be_asked_for_by_name() -> None:
    assert {job.cell.dataset for job in choose_jobs("sc500")} == {"sc500"}


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(KeyError):
        choose_jobs("nothing")


def test_the_committed_page_is_what_the_committed_results_give(tmp_path: Path) -> None:
    shown = (SHOWN / "reproduction.md").read_text(encoding="utf-8")
    path = tmp_path / "page.md"
    write_document(SHOWN / "results", path)
    titles = re.compile(r"^### .*$|^Not run.*$", flags=re.MULTILINE)
    assert titles.sub("", path.read_text(encoding="utf-8")) == titles.sub("", shown)
