from dataclasses import replace
from pathlib import Path

from experiments.protocol import Measurement
from experiments.runs import (
    Cell,
    add_run,
    all_cells,
    missing_seeds,
    read_cell,
    take_over_runs,
)

CELL = Cell("directed", "ieee118", "published", "gcn")


def run_of(seed: int, accuracy: float = 0.5) -> Measurement:
    return Measurement(seed, accuracy, 0.5, 0.5, 1.0, 3, 5, 0.1)


def test_a_cell_continues_where_it_stopped(tmp_path: Path) -> None:
    assert missing_seeds(CELL, tmp_path, "hash", 3) == [0, 1, 2]
    add_run(CELL, tmp_path, "hash", run_of(0))
    add_run(CELL, tmp_path, "hash", run_of(2))
    assert missing_seeds(CELL, tmp_path, "hash", 4) == [1, 3]


def test_runs_of_another_configuration_do_not_count(tmp_path: Path) -> None:
    add_run(CELL, tmp_path, "old", run_of(0))
    assert missing_seeds(CELL, tmp_path, "new", 1) == [0]
    add_run(CELL, tmp_path, "new", run_of(1))
    assert [run["seed"] for run in read_cell(CELL, tmp_path)["runs"]] == [1]


def test_a_seed_is_stored_once(tmp_path: Path) -> None:
    add_run(CELL, tmp_path, "hash", run_of(0, 0.1))
    add_run(CELL, tmp_path, "hash", run_of(0, 0.9))
    assert [run["accuracy"] for run in read_cell(CELL, tmp_path)["runs"]] == [0.9]


def test_stored_cells_are_found_again(tmp_path: Path) -> None:
    add_run(CELL, tmp_path, "hash", run_of(0))
    ((cell, runs),) = all_cells(tmp_path)
    assert cell == CELL
    assert runs[0]["best_epoch"] == 3


def test_what_another_table_has_run_is_taken_over(tmp_path: Path) -> None:
    add_run(CELL, tmp_path, "hash", run_of(0, 0.1))
    add_run(CELL, tmp_path, "hash", run_of(1, 0.2))
    add_run(CELL, tmp_path, "hash", run_of(2, 0.3))
    here = replace(CELL, table="ablation")
    add_run(here, tmp_path, "hash", run_of(1, 0.9))
    take_over_runs(here, tmp_path, "hash", 2)
    assert [run["accuracy"] for run in read_cell(here, tmp_path)["runs"]] == [0.1, 0.9]


def test_runs_of_another_configuration_or_method_are_not_taken_over(tmp_path: Path) -> None:
    add_run(CELL, tmp_path, "old", run_of(0))
    add_run(replace(CELL, method="gat"), tmp_path, "hash", run_of(1))
    here = replace(CELL, table="ablation")
    take_over_runs(here, tmp_path, "hash", 2)
    assert missing_seeds(here, tmp_path, "hash", 2) == [0, 1]
