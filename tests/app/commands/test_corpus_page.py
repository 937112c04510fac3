"""docs/corpus.md is what `levygrid corpus` writes, with counts that hold."""

from pathlib import Path

import pytest

from app.bench._corpus import CorpusEntry, CorpusFigures, read_entry
from app.commands.corpus_page import make_corpus_page
from app.ingest.cases.sizes import MATPOWER_SIZES, PANDAPOWER_SIZES

_PAGE = (Path(__file__).parents[3] / "docs" / "corpus.md").read_text()
_SMALL = ("matpower:case9", "matpower:case14", "matpower:case118", "matpower:case300")


def _find_row(title: str) -> list[str]:
    (line,) = [line for line in _PAGE.splitlines() if line.startswith(f"| {title} |")]
    return [cell.strip().replace(",", "") for cell in line.strip("|").split("|")]


def test_the_page_has_the_text_of_the_command() -> None:
    introduction, header = list(make_corpus_page([]))
    assert _PAGE.startswith(f"{introduction}\n{header}\n")


def test_the_page_has_every_built_in_case_with_its_size() -> None:
    sizes = PANDAPOWER_SIZES | {f"matpower:{name}": size for name, size in MATPOWER_SIZES.items()}
    for name, size in sizes.items():
        row = _find_row(name)
        assert (int(row[2]), int(row[3])) == size, name


@pytest.mark.parametrize("case", _SMALL)
def test_small_cases_give_the_counts_of_the_page(case: str) -> None:
    figures = read_entry(CorpusEntry(case, case=case))
    (line,) = list(make_corpus_page([figures]))[2:]
    counts = [cell.strip().replace(",", "") for cell in line.strip("|").split("|")][:8]
    assert counts == _find_row(case)[:8]


def test_a_refusal_is_listed_below_the_table() -> None:
    refused = CorpusFigures("x", "", 0, 0, 0, 0, 0, "none", 0.1, 0.1, 80, "Unknown file format.")
    assert list(make_corpus_page([refused]))[-1] == "- x: Unknown file format."
