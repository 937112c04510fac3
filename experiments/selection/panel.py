"""Runs the cells of the panel in several processes and stores each result as it arrives."""

import ast
import hashlib
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from experiments.json_lines import Line, find_line, read_lines, update_line
from experiments.running import Outcome, spread
from experiments.selection import levels, rivals
from experiments.selection.cells import KnownLabels, PanelCell, list_seeds, make_problem
from experiments.selection.grids import load_grid
from experiments.selection.levels import LEVELS
from experiments.selection.rivals import METHODS, SingleMethod
from experiments.selection.tasks import QUICK_TASKS, TASKS
from ml.errors import DatasetUnavailable, MlError
from ml.methods.auto import AutoSettings
from ml.training.selection import model as selection_model
from ml.training.selection.model import fit_auto

FILE_NAME = "selection.jsonl"
DEFAULT = "default"
"""Key of the default of the product beside those of the single methods."""
PROTOCOL = 1
"""Raised when something changes that the hash of a cell does not see."""
QUICK_LEVELS = ("2_per_class", "10_percent")
STORE_SECONDS = 10.0
"""Runs that took less in all are stored together."""
SINGLES = {method.key: method for method in METHODS}
_LEVELS = {level.key: level for level in LEVELS}
Runs = dict[str, dict[str, Any]]
"""What a method did in a cell, by its key."""


@dataclass(frozen=True)
class PanelPlan:
    """The cells to fill, and the tasks and levels that are left out with the reason."""

    cells: tuple[PanelCell, ...]
    skipped: tuple[str, ...]


def plan_panel(*, quick: bool) -> PanelPlan:
    """List the cells of the panel, or of a few small tasks with one seed."""
    cells: list[PanelCell] = []
    skipped: list[str] = []
    for task in TASKS.values():
        if quick and task.name not in QUICK_TASKS:
            continue
        try:
            grid = load_grid(task)
        except DatasetUnavailable as error:
            skipped.append(f"{task.title}: {error}")
            continue
        for level in LEVELS:
            obstacle = levels.find_obstacle(grid.graph.labels, level)
            if obstacle is not None:
                skipped.append(f"{task.title}, {level.title}: {obstacle}")
            elif not quick or level.key in QUICK_LEVELS:
                seeds = range(1) if quick else list_seeds(grid)
                cells += [PanelCell(task, level, seed) for seed in seeds]
    return PanelPlan(tuple(cells), tuple(skipped))


def run_panel(
    cells: Iterable[PanelCell], results: Path, workers: int, on_cell: Callable[[str], None]
) -> list[str]:
    """Fill the cells that are not stored yet; return what failed and why."""
    problems: list[str] = []
    missing = [(cell, results) for cell in cells if list_missing(cell, results)]
    for title, failures in spread(fill_cell, missing, workers):
        on_cell(title)
        problems.extend(failures)
    return problems


def list_missing(cell: PanelCell, results: Path) -> list[str]:
    """Return the methods without a stored run of the present protocol, the default first."""
    line = find_line(results / FILE_NAME, _key(cell))
    runs: Runs = {} if line is None else line["runs"]
    return [
        method
        for method in (DEFAULT, *SINGLES)
        if method not in runs or runs[method]["protocol"] != hash_protocol(cell, method)
    ]


def fill_cell(cell: PanelCell, results: Path) -> Outcome:
    """Run every missing method of a cell; what was left out or failed is stored as well."""
    title = f"{cell.task.title}, {cell.level.title}, seed {cell.seed}"
    problem = make_problem(cell)
    failures: list[str] = []
    pending: Runs = {}
    stored = time.perf_counter()
    for key in list_missing(cell, results):
        run = _run_method(key, problem, cell.seed)
        if "failed" in run:
            failures.append(f"{title}: {key}: {run['failed']}")
        pending[key] = {"protocol": hash_protocol(cell, key), **run}
        if time.perf_counter() - stored > STORE_SECONDS:
            store_runs(cell, results, pending)
            pending, stored = {}, time.perf_counter()
    store_runs(cell, results, pending)
    return title, failures


def _run_method(key: str, problem: KnownLabels, seed: int) -> dict[str, Any]:
    """Run the default or a single method; an error must not end the panel."""
    try:
        if key == DEFAULT:
            return run_default(problem, seed)
        return run_single(SINGLES[key], problem, seed)
    except (MlError, ArithmeticError, ValueError, np.linalg.LinAlgError) as error:
        return {"failed": f"{type(error).__name__}: {error}"}


def run_default(problem: KnownLabels, seed: int) -> dict[str, Any]:
    """Train as POST /train does with a grid, labels and nothing else.

    ``seconds`` is processor time, which other programs on the machine do not change.
    """
    started = time.process_time()
    settings = AutoSettings(seed=seed)
    result = fit_auto(problem.graph, problem.split, settings, problem.surroundings)
    seconds = time.process_time() - started
    described = result.artifact.manifest["selection"]
    estimate = described["estimate"]
    return {
        "accuracy": round(problem.score(result.selection.probabilities), 6),
        "seconds": round(seconds, 3),
        "nodes": problem.graph.node_count,
        "labels": len(problem.known),
        "classes": len(problem.classes),
        "tested": len(problem.tested),
        "chosen": {one["key"]: round(one["weight"], 3) for one in described["members"]},
        "estimate": estimate and [round(estimate[part], 4) for part in ("accuracy", "low", "high")],
        "ungrouped": estimate and estimate["ungrouped"],
    }


def run_single(method: SingleMethod, problem: KnownLabels, seed: int) -> dict[str, Any]:
    """Train a single method, or return why it was left out."""
    obstacle = rivals.find_obstacle(method, problem)
    if obstacle is not None:
        return {"left_out": obstacle}
    started = time.process_time()
    probabilities = rivals.answer(method, problem, seed)
    if not np.isfinite(probabilities).all():
        return {"failed": "the answer is not finite"}
    seconds = time.process_time() - started
    return {"accuracy": round(problem.score(probabilities), 6), "seconds": round(seconds, 3)}


def store_runs(cell: PanelCell, results: Path, runs: Runs) -> None:
    """Add runs to the line of a cell; runs of methods that the panel no longer has go."""

    def change(line: Line | None) -> Line:
        stored = {**({} if line is None else line["runs"]), **runs}
        kept = {key: stored[key] for key in (DEFAULT, *SINGLES) if key in stored}
        return {**_key(cell), "runs": kept}

    if runs:
        update_line(results / FILE_NAME, _key(cell), change)


def read_cells(results: Path) -> list[tuple[PanelCell, Runs]]:
    """Return the stored cells of the present tasks and levels with their runs."""
    return [
        (PanelCell(TASKS[line["task"]], _LEVELS[line["level"]], line["seed"]), line["runs"])
        for line in read_lines(results / FILE_NAME)
        if line["task"] in TASKS and line["level"] in _LEVELS
    ]


@cache
def hash_protocol(cell: PanelCell, method: str) -> str:
    """Return a hash of everything that decides the run of a method in a cell.

    The default has no settings: what it does is the code of ``ml.training.selection``.
    """
    decided = hash_selection_code() if method == DEFAULT else asdict(SINGLES[method])
    text = json.dumps([PROTOCOL, asdict(cell), decided], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@cache
def hash_selection_code() -> str:
    """Return a hash of the code that makes the automatic choice, comments and texts apart."""
    folder = Path(selection_model.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                node.value.value = None
        digest.update(ast.dump(tree).encode())
    return digest.hexdigest()


def _key(cell: PanelCell) -> dict[str, str | int]:
    return {"task": cell.task.name, "level": cell.level.key, "seed": cell.seed}
