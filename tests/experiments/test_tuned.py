"""Tuned configurations and the hashes that tie stored cells to them."""

import hashlib
import json
from pathlib import Path

import pytest

from experiments.json_lines import read_lines
from experiments.methods import METHOD_ROWS, MethodRow
from experiments.paths import RESULTS
from experiments.runs import all_cells
from experiments.tables.table import TABLE_NAMES, get_table
from experiments.tuned import hash_tuned, is_tuned, read_tuned, search_sizes, store_tuned
from ml.errors import DatasetUnavailable

FOREST = METHOD_ROWS["forest"]


def store(results: Path, method: str, settings: dict[str, object]) -> None:
    content = {"dataset": "communities", "method": method, "settings": settings}
    store_tuned(results, content)


def test_the_hash_is_that_of_the_text_with_an_indent_of_one(tmp_path: Path) -> None:
    text = (
        '{\n "dataset": "communities",\n "method": "forest",\n "settings": {\n  "trees": 3\n }\n}\n'
    )
    store_tuned(tmp_path, json.loads(text))
    _, tuned_hash = read_tuned(FOREST, "communities", tmp_path)
    assert tuned_hash == hashlib.sha256(text.encode()).hexdigest()


def test_every_committed_cell_has_the_hash_of_a_committed_configuration() -> None:
    rows = {job.cell: job.row for name in TABLE_NAMES for job in get_table(name).jobs()}
    cells = {
        (line["table"], line["dataset"], line["setting"], line["method"]): line["frozen"]
        for path in RESULTS.glob("*.jsonl")
        for line in read_lines(path)
        if "frozen" in line
    }
    stored = [cell for cell, _ in all_cells(RESULTS)]
    assert len(stored) == len(cells) > 600
    for cell in stored:
        _, tuned_hash = read_tuned(rows[cell], cell.dataset, RESULTS)
        assert cells[cell.table, cell.dataset, cell.split_kind, cell.method] == tuned_hash, cell


def test_a_method_that_was_not_tuned_cannot_be_measured(tmp_path: Path) -> None:
    with pytest.raises(DatasetUnavailable, match="no tuned configuration of forest on communities"):
        read_tuned(FOREST, "communities", tmp_path)


def test_a_stored_configuration_is_never_replaced(tmp_path: Path) -> None:
    store(tmp_path, "forest", {"trees": 3})
    store(tmp_path, "forest", {"trees": 4})
    assert read_tuned(FOREST, "communities", tmp_path)[0] == {"trees": 3}
    assert is_tuned(tmp_path, "communities", "forest")


def test_a_derived_row_uses_the_tuned_settings_of_its_source(tmp_path: Path) -> None:
    store(tmp_path, "lfgcn_whole", {"gamma": 0.5, "drop_edge": "none"})
    row = MethodRow("x", "x", "lfgcn", based_on="lfgcn_whole", changes={"drop_edge": "uniform"})
    settings, tuned_hash = read_tuned(row, "communities", tmp_path)
    assert settings == {"gamma": 0.5, "drop_edge": "uniform"}
    assert tuned_hash == hash_tuned(read_lines(tmp_path / "tuned.jsonl")[0])


def test_the_sizes_of_searches_are_counted_per_data_set() -> None:
    assert search_sizes("ieee118", RESULTS) == [20]
    assert search_sizes("pubmed", RESULTS) == [2, 6]
