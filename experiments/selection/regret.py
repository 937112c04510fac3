"""What the stored cells say: regret against the best single method, wins, coverage, seconds."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments.selection.cells import PanelCell
from experiments.selection.levels import LEVELS
from experiments.selection.panel import DEFAULT, SINGLES, Runs
from experiments.selection.tasks import TASKS

_LEVEL_ORDER = {level.key: place for place, level in enumerate(LEVELS)}
_TASK_ORDER = {name: place for place, name in enumerate(TASKS)}


@dataclass(frozen=True)
class LevelResult:
    """All methods at one level of one task; figures are means over the seeds.

    ``singles`` has the single methods that ran at every seed of the default, ``runs`` the runs
    of the default.
    """

    task: str
    level: str
    default: float
    singles: dict[str, float]
    labels: float
    labels_per_class: float
    nodes: int
    seconds: float
    runs: Sequence[dict[str, Any]]

    @property
    def best(self) -> str:
        """The single method with the highest mean, the first of equals."""
        return max(self.singles, key=lambda key: self.singles[key])

    @property
    def regret(self) -> float:
        """How much the best single method in hindsight is better, in points."""
        return 100 * (self.singles[self.best] - self.default)


def collect_levels(cells: Iterable[tuple[PanelCell, Runs]]) -> list[LevelResult]:
    """Combine the stored cells by task and level, in the order of the panel.

    Cells without a run of the default are not used, nor levels without any single method.
    """
    by_level: dict[tuple[str, str], list[Runs]] = defaultdict(list)
    for cell, runs in cells:
        if "accuracy" in runs.get(DEFAULT, {}):
            by_level[cell.task.name, cell.level.key].append(runs)
    results = [
        result
        for (task, level), members in by_level.items()
        if (result := _combine(task, level, members)) is not None
    ]
    return sorted(results, key=lambda one: (_TASK_ORDER[one.task], _LEVEL_ORDER[one.level]))


def _combine(task: str, level: str, cells: Sequence[Runs]) -> LevelResult | None:
    singles = {
        method: _mean(runs[method]["accuracy"] for runs in cells)
        for method in SINGLES
        if all("accuracy" in runs.get(method, {}) for runs in cells)
    }
    if not singles:
        return None
    runs = [one[DEFAULT] for one in cells]
    return LevelResult(
        task=task,
        level=level,
        default=_mean(run["accuracy"] for run in runs),
        singles=singles,
        labels=_mean(run["labels"] for run in runs),
        labels_per_class=_mean(run["labels"] / run["classes"] for run in runs),
        nodes=runs[0]["nodes"],
        seconds=_mean(run["seconds"] for run in runs),
        runs=runs,
    )


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


def mean_regret(results: Iterable[LevelResult]) -> float | None:
    """Return the regret in points: the mean over the levels of a task, then over the tasks."""
    means = list(regret_by_task(results).values())
    return float(np.mean(means)) if means else None


def regret_by_task(results: Iterable[LevelResult]) -> dict[str, float]:
    """Return the mean regret over the levels of each task, in points."""
    by_task: dict[str, list[float]] = defaultdict(list)
    for one in results:
        by_task[one.task].append(one.regret)
    return {task: float(np.mean(regrets)) for task, regrets in by_task.items()}


def regret_of_one_method(results: Sequence[LevelResult]) -> dict[str, float]:
    """Return the regret of each task against one method for all its levels, in points.

    The best of many methods is chosen per task, not per level, so chance helps it less.
    """
    by_task: dict[str, list[LevelResult]] = defaultdict(list)
    for one in results:
        by_task[one.task].append(one)
    regrets = {}
    for task, levels in by_task.items():
        shared = set.intersection(*(set(one.singles) for one in levels))
        if shared:
            best = max(np.mean([one.singles[key] for one in levels]) for key in shared)
            regrets[task] = float(100 * (best - np.mean([one.default for one in levels])))
    return regrets


def count_wins(results: Iterable[LevelResult]) -> Counter[str]:
    """Count the levels at which a single method is the best one; equals count for each."""
    wins: Counter[str] = Counter()
    for one in results:
        top = max(one.singles.values())
        wins.update(key for key, mean in one.singles.items() if mean >= top - 1e-9)
    return wins


def count_choices(results: Iterable[LevelResult]) -> Counter[str]:
    """Count what the default chose, each run once: a method, or several of them together."""
    chosen: Counter[str] = Counter()
    for one in results:
        for run in one.runs:
            kinds = sorted({key.partition("[")[0].partition("@")[0] for key in run["chosen"]})
            chosen[" + ".join(kinds)] += 1
    return chosen


@dataclass(frozen=True)
class StatedAccuracy:
    """How the stated accuracy of the default compares with the true one, over its runs.

    ``held`` of ``runs`` intervals contain the true accuracy. ``bias`` is stated minus true
    accuracy in points, ``ungrouped_bias`` that of the figure for folds that divide substations,
    None where no run has it.
    """

    runs: int
    held: int
    bias: float
    ungrouped_bias: float | None


def measure_stated(results: Iterable[LevelResult]) -> StatedAccuracy | None:
    """Compare stated with true accuracies; None if no run states one."""
    runs = [run for one in results for run in one.runs if run["estimate"]]
    if not runs:
        return None
    held = sum(run["estimate"][1] <= run["accuracy"] <= run["estimate"][2] for run in runs)
    bias = _mean(run["estimate"][0] - run["accuracy"] for run in runs)
    divided = [run["ungrouped"] - run["accuracy"] for run in runs if run["ungrouped"] is not None]
    return StatedAccuracy(len(runs), held, 100 * bias, 100 * _mean(divided) if divided else None)
