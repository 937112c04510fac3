"""Stored runs: one file per table, one line per cell."""

import json
from dataclasses import replace
from pathlib import Path

from experiments.json_lines import read_lines
from experiments.paths import RESULTS
from experiments.protocol import MeasuredRun
from experiments.runs import (
    Cell,
    add_run,
    all_cells,
    copy_missing_runs,
    missing_seeds,
    read_runs,
)

CELL = Cell("directed", "ieee118", "published", "gcn")


def run_of(seed: int, accuracy: float = 0.5) -> MeasuredRun:
    return MeasuredRun(seed, accuracy, 0.5, 0.5, 1.0, 3, 5, 0.1)


def test_only_missing_seeds_remain_to_be_run(tmp_path: Path) -> None:
    assert missing_seeds(CELL, tmp_path, "hash", 3) == [0, 1, 2]
    add_run(CELL, tmp_path, "hash", run_of(0))
    add_run(CELL, tmp_path, "hash", run_of(2))
    assert missing_seeds(CELL, tmp_path, "hash", 4) == [1, 3]


def test_runs_of_another_configuration_do_not_count(tmp_path: Path) -> None:
    add_run(CELL, tmp_path, "old", run_of(0))
    assert missing_seeds(CELL, tmp_path, "new", 1) == [0]
    add_run(CELL, tmp_path, "new", run_of(1))
    assert [run["seed"] for run in read_runs(CELL, tmp_path)] == [1]


def test_a_seed_is_stored_once(tmp_path: Path) -> None:
    add_run(CELL, tmp_path, "hash", run_of(0, 0.1))
    add_run(CELL, tmp_path, "hash", run_of(0, 0.9))
    assert [run["accuracy"] for run in read_runs(CELL, tmp_path)] == [0.9]


def test_all_stored_cells_are_listed(tmp_path: Path) -> None:
    add_run(CELL, tmp_path, "hash", run_of(0))
    ((cell, runs),) = all_cells(tmp_path)
    assert cell == CELL
    assert runs[0]["best_epoch"] == 3


def test_runs_of_another_table_are_copied(tmp_path: Path) -> None:
    add_run(CELL, tmp_path, "hash", run_of(0, 0.1))
    add_run(CELL, tmp_path, "hash", run_of(1, 0.2))
    add_run(CELL, tmp_path, "hash", run_of(2, 0.3))
    here = replace(CELL, table="ablation")
    add_run(here, tmp_path, "hash", run_of(1, 0.9))
    copy_missing_runs(here, tmp_path, "hash", 2)
    assert [run["accuracy"] for run in read_runs(here, tmp_path)] == [0.1, 0.9]


def test_runs_of_another_configuration_or_method_are_not_copied(tmp_path: Path) -> None:
    add_run(CELL, tmp_path, "old", run_of(0))
    add_run(replace(CELL, method="gat"), tmp_path, "hash", run_of(1))
    here = replace(CELL, table="ablation")
    copy_missing_runs(here, tmp_path, "hash", 2)
    assert missing_seeds(here, tmp_path, "hash", 2) == [0, 1]


def test_a_table_is_one_file_with_one_line_per_cell(tmp_path: Path) -> None:
    for method in ("gcn", "appnp"):
        for seed in (1, 0):
            add_run(replace(CELL, method=method), tmp_path, "hash", run_of(seed))
    lines = (tmp_path / "directed.jsonl").read_text().splitlines()
    assert [json.loads(line)["method"] for line in lines] == ["appnp", "gcn"]
    assert list(json.loads(lines[0])) == ["table", "dataset", "setting", "method", "frozen", "runs"]


def test_committed_files_are_written_as_this_code_writes_them() -> None:
    for path in sorted(RESULTS.glob("*.jsonl")):
        stored = path.read_text(encoding="utf-8")
        assert stored == "".join(f"{json.dumps(line)}\n" for line in read_lines(path)), path.name
    cells = [cell for cell, _ in all_cells(RESULTS)]
    assert cells == sorted(cells)
