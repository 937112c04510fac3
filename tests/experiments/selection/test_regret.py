"""Regret, wins and coverage, on cells whose figures are computed by hand."""

from typing import Any

import pytest

from experiments.selection.cells import PanelCell
from experiments.selection.levels import LEVELS
from experiments.selection.panel import DEFAULT, Runs
from experiments.selection.regret import (
    collect_levels,
    count_choices,
    count_wins,
    mean_regret,
    measure_stated,
    regret_by_task,
    regret_of_one_method,
)
from experiments.selection.tasks import TASKS


def make_cell(
    task: str, level: int, seed: int, default: float, **singles: float | None
) -> tuple[PanelCell, Runs]:
    run: dict[str, Any] = {
        "accuracy": default,
        "seconds": 2.0,
        "nodes": 300,
        "labels": 20,
        "classes": 4,
        "chosen": {"propagation[plain,a=1]": 0.5, "nearest_5": 0.5},
        "estimate": [default + 0.1, 0.75, 0.95],
        "ungrouped": default + 0.2,
    }
    runs = {
        key: {"left_out": "no"} if value is None else {"accuracy": value, "seconds": 1.0}
        for key, value in singles.items()
    }
    return PanelCell(TASKS[task], LEVELS[level], seed), {DEFAULT: run, **runs}


CELLS = [
    # Level 0 of the first task: LP 0.80, forest 0.70, default 0.75 over two seeds.
    make_cell("case300_zone", 0, 0, 0.8, lp=0.9, forest=0.6),
    make_cell("case300_zone", 0, 1, 0.7, lp=0.7, forest=0.8),
    # Level 1: forest is the best, and the default is better still.
    make_cell("case300_zone", 1, 0, 0.9, lp=0.6, forest=0.85, mlp=None),
    make_cell("case39_area", 0, 0, 0.5, lp=0.7, forest=0.7, mlp=0.1),
]


def test_regret_is_the_mean_of_the_best_method_minus_that_of_the_default() -> None:
    first, second, third = collect_levels(CELLS)
    assert (first.best, second.best) == ("lp", "forest")
    assert first.regret == pytest.approx(5)
    assert second.regret == pytest.approx(-5)
    assert third.regret == pytest.approx(20)
    assert first.labels_per_class == 5


def test_tasks_count_the_same_however_many_levels_they_have() -> None:
    levels = collect_levels(CELLS)
    by_task = regret_by_task(levels)
    assert by_task == pytest.approx({"case300_zone": 0, "case39_area": 20})
    assert mean_regret(levels) == pytest.approx(10)
    assert mean_regret([]) is None


def test_one_method_for_all_levels_of_a_task_is_the_milder_rival() -> None:
    # case300: LP (0.80 + 0.60) / 2, forest (0.70 + 0.85) / 2 = 0.775, default 0.825.
    regrets = regret_of_one_method(collect_levels(CELLS))
    assert regrets == pytest.approx({"case300_zone": -5, "case39_area": 20})


def test_a_method_that_misses_a_seed_is_no_rival() -> None:
    cells = [*CELLS[:1], make_cell("case300_zone", 0, 1, 0.7, lp=0.7, forest=None)]
    (level,) = collect_levels(cells)
    assert set(level.singles) == {"lp"}


def test_equals_win_both() -> None:
    assert count_wins(collect_levels(CELLS)) == {"lp": 2, "forest": 2}


def test_choices_are_counted_by_kind() -> None:
    assert count_choices(collect_levels(CELLS)) == {"nearest_5 + propagation": 4}


def test_stated_accuracies_are_compared_with_the_true_ones() -> None:
    stated = measure_stated(collect_levels(CELLS))
    assert stated is not None
    assert (stated.held, stated.runs) == (2, 4)
    assert stated.bias == pytest.approx(10)
    assert stated.ungrouped_bias == pytest.approx(20)
    assert measure_stated([]) is None


def test_cells_without_the_default_are_not_used() -> None:
    cell, runs = CELLS[0]
    assert collect_levels([(cell, {"lp": runs["lp"]})]) == []
