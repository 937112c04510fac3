"""The first page of the reproduction."""

import re
from pathlib import Path

import pytest

from experiments.methods import METHOD_ROWS
from experiments.paths import NOTES, RESULTS
from experiments.protocol import MeasuredRun
from experiments.report.headlines import list_headlines
from experiments.report.notes import read_note
from experiments.report.overview import write_overview
from experiments.runs import Cell, add_run
from experiments.tuned import store_tuned


def store(results: Path, dataset: str, method: str, accuracy: float, gamma: float = 1.0) -> None:
    cell = Cell("undirected", dataset, "published", method)
    for seed in range(3):
        run = MeasuredRun(seed, accuracy + 0.01 * seed, 0.5, 0.5, 1.0, 3, 5, 0.1)
        add_run(cell, results, "hash", run)
    row = METHOD_ROWS[method]
    content = {"dataset": dataset, "method": row.based_on or row.key, "settings": {"gamma": gamma}}
    store_tuned(results, {**content, "search": {"rounds": []}})


def test_each_comparison_names_our_best_row_and_the_best_rival(tmp_path: Path) -> None:
    store(tmp_path, "cora", "lfgcn", 0.80)
    store(tmp_path, "cora", "lfgcn_plus", 0.85)
    store(tmp_path, "cora", "gcn", 0.70)
    store(tmp_path, "cora", "gmnn", 0.82)
    (headline,) = list_headlines(tmp_path)
    assert (headline.ours, headline.rival, headline.verdict) == ("lfgcn_plus", "gmnn", "above")
    assert "| Cora | LFGCN+ 86.00 (1.00) | 1 | GMNN 83.00 (1.00) |" in write_overview(tmp_path)


def test_a_lost_comparison_is_listed(tmp_path: Path) -> None:
    store(tmp_path, "cora", "lfgcn", 0.70)
    store(tmp_path, "cora", "gcn", 0.80)
    page = write_overview(tmp_path)
    assert "- Cora: LFGCN is 10.00 points below GCN, significantly." in page
    assert "significantly below it in 1" in page


def test_a_win_with_a_levy_flight_is_counted(tmp_path: Path) -> None:
    store(tmp_path, "cora", "lfgcn", 0.90, gamma=0.5)
    store(tmp_path, "cora", "gcn", 0.80)
    page = write_overview(tmp_path)
    assert "Of 1 significant wins in the table, 1 used a Lévy flight" in page
    assert "Every citation row" not in page


def test_the_committed_results_support_the_sentences_about_gamma() -> None:
    page = write_overview(RESULTS)
    assert "Every citation row of LFGCN and LFGCN+ ran at gamma = 1" in page
    assert "wins in the table were reached at gamma = 1; none of them" in page


def test_results_without_any_cell_give_a_page(tmp_path: Path) -> None:
    assert "Nowhere in the stored results." in write_overview(tmp_path)


def test_the_first_page_fits_on_about_a_page() -> None:
    assert 60 <= len(write_overview(RESULTS).splitlines()) <= 100


@pytest.mark.parametrize("path", sorted(NOTES.glob("*.md")), ids=lambda path: path.stem)
def test_every_placeholder_of_a_note_is_filled(path: Path) -> None:
    names = set(re.findall(r"\$(\w+)", path.read_text(encoding="utf-8")))
    assert "$" not in read_note(path.stem, **dict.fromkeys(names, "x"))
