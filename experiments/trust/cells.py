"""One measurement: the default model of a task and seed, its sets and its probabilities."""

import hashlib
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.json_lines import Line, find_line, read_lines, update_line
from experiments.running import Outcome, spread
from experiments.selection.cells import KnownLabels, PanelCell, make_problem
from experiments.selection.grids import load_grid
from experiments.selection.levels import LEVELS
from experiments.selection.panel import hash_selection_code
from experiments.selection.tasks import TASKS, PanelTask
from ml.arrays import FloatArray, IntArray
from ml.errors import DatasetUnavailable, MlError
from ml.methods.auto import AutoSettings
from ml.training.selection.auto import Selection
from ml.training.selection.model import fit_auto
from ml.trust.calibration import fit_temperature, measure_reliability, scale_temperature
from ml.trust.conformal import PredictionSets, calibrate

FILE_NAME = "trust.jsonl"
COVERAGES = (0.8, 0.9, 0.95)
PROTOCOL = 1
"""Raised when something changes that the hash of a cell does not see."""
_CKT5 = PanelTask(
    "ckt5_phases", "Feeder ckt5, phases", "reporting", "folder:grids/opendss/ckt5", "phases"
)


@dataclass(frozen=True)
class TrustTask:
    """A task, the fraction of known labels, the search budget in seconds and the seeds."""

    task: PanelTask
    level: str
    budget: float
    seeds: int


TRUST_TASKS = {
    one.task.name: one
    for one in (
        TrustTask(TASKS["ieee118_role"], "50_percent", 2, 100),
        TrustTask(TASKS["case300_zone"], "50_percent", 2, 100),
        TrustTask(TASKS["activsg500_zone"], "10_percent", 2, 100),
        TrustTask(TASKS["activsg2000_area"], "10_percent", 10, 20),
        TrustTask(TASKS["activsg2000_zone"], "10_percent", 10, 20),
        TrustTask(TASKS["activsg2000_area_substations"], "10_percent", 10, 20),
        TrustTask(TASKS["activsg2000_zone_substations"], "10_percent", 10, 20),
        TrustTask(_CKT5, "10_percent", 10, 20),
    )
}
QUICK_TASKS = ("ieee118_role", "case300_zone")
_LEVELS = {level.key: level for level in LEVELS}


@dataclass(frozen=True)
class TrustPlan:
    """The cells to fill as pairs of task and seed, and the tasks left out with the reason."""

    cells: tuple[tuple[str, int], ...]
    skipped: tuple[str, ...]


def plan_cells(seeds: int | None = None, names: Iterable[str] = TRUST_TASKS) -> TrustPlan:
    """List the cells, seed by seed, so that an interrupted run has some of every task."""
    cells: list[tuple[int, str]] = []
    skipped: list[str] = []
    for name in names:
        one = TRUST_TASKS[name]
        try:
            load_grid(one.task)
        except DatasetUnavailable as error:
            skipped.append(f"{one.task.title}: {error}")
            continue
        count = one.seeds if seeds is None else min(seeds, one.seeds)
        cells += [(seed, name) for seed in range(count)]
    ordered = sorted(cells, key=lambda cell: cell[0])
    return TrustPlan(tuple((name, seed) for seed, name in ordered), tuple(skipped))


def run_cells(
    plan: TrustPlan, results: Path, workers: int, on_cell: Callable[[str], None]
) -> list[str]:
    """Fill the cells that are not stored yet; return what failed and why."""
    missing = [(*cell, results) for cell in plan.cells if not _is_stored(*cell, results)]
    problems: list[str] = []
    for title, failures in spread(fill_cell, missing, workers):
        on_cell(title)
        problems.extend(failures)
    return problems


def fill_cell(name: str, seed: int, results: Path) -> Outcome:
    """Measure one cell and store it."""
    title = f"{TRUST_TASKS[name].task.title}, seed {seed}"
    try:
        measured = measure_cell(name, seed)
    except MlError as error:
        return title, [f"{title}: {error}"]

    def change(_line: Line | None) -> Line:
        return {"task": name, "seed": seed, "protocol": hash_cell(name), **measured}

    update_line(results / FILE_NAME, {"task": name, "seed": seed}, change)
    return title, []


def read_measured(results: Path) -> list[Line]:
    """Return the stored cells of the present protocol."""
    return [
        line
        for line in read_lines(results / FILE_NAME)
        if line["task"] in TRUST_TASKS and line["protocol"] == hash_cell(line["task"])
    ]


def hash_cell(name: str) -> str:
    """Return a hash of what decides a cell, apart from its seed and the code of the sets."""
    one = TRUST_TASKS[name]
    decided = [PROTOCOL, name, one.level, one.budget, hash_selection_code()]
    return hashlib.sha256(json.dumps(decided).encode()).hexdigest()[:12]


def _is_stored(name: str, seed: int, results: Path) -> bool:
    line = find_line(results / FILE_NAME, {"task": name, "seed": seed})
    return line is not None and line["protocol"] == hash_cell(name)


def measure_cell(name: str, seed: int) -> dict[str, Any]:
    """Train the default model on the known labels and judge it on all other labelled nodes."""
    one = TRUST_TASKS[name]
    problem = make_problem(PanelCell(one.task, _LEVELS[one.level], seed))
    started = time.process_time()
    settings = AutoSettings(seed=seed, budget_seconds=one.budget)
    result = fit_auto(problem.graph, problem.split, settings, problem.surroundings)
    selection = result.selection
    places = np.full(int(problem.truth.max()) + 1, -1)
    places[problem.classes] = np.arange(len(problem.classes))
    truth = places[problem.truth[problem.tested]]
    shares = selection.probabilities[problem.tested]
    grouped = bool(result.artifact.manifest["selection"]["grouped"])
    return {
        "labels": len(problem.known),
        "classes": len(problem.classes),
        "tested": len(truth),
        "grouped": grouped,
        "accuracy": round(float((shares.argmax(axis=1) == truth).mean()), 6),
        "sets": _measure_sets(problem, selection, shares, truth, grouped=grouped),
        "reliability": _measure_probabilities(problem, selection, truth),
        "seconds": round(time.process_time() - started, 2),
    }


def _measure_sets(
    problem: KnownLabels,
    selection: Selection,
    shares: FloatArray,
    truth: IntArray,
    *,
    grouped: bool,
) -> dict[str, Any]:
    """Return coverage and size of the sets at every coverage, with the score of APS beside."""
    known, groups = problem.graph.labels[problem.known], problem.surroundings.groups
    units = groups[problem.known] if grouped and groups is not None else None
    measured = {}
    for coverage in COVERAGES:
        rows = {}
        for key, change in (("lac", np.asarray), ("aps", rank_adaptively)):
            held_out, asked = change(selection.held_out), change(shares)
            given = held_out[np.arange(len(known)), known]
            sets = calibrate(given, known, shares.shape[1], coverage, units)
            rows[key] = None if sets is None else _judge(sets, asked, truth)
        measured[f"{coverage:g}"] = rows
    return measured


def rank_adaptively(probabilities: FloatArray) -> FloatArray:
    """Return one minus the score of adaptive sets (Romano et al. 2020), without randomisation.

    Equation: ``1 - sum of the probabilities above that of the class``, so that larger is better.
    Shapes: (n, K) -> (n, K).
    """
    order = np.argsort(-probabilities, axis=1, kind="stable")
    ranked = np.take_along_axis(probabilities, order, axis=1)
    above = np.cumsum(ranked, axis=1) - ranked
    result = np.empty_like(probabilities)
    np.put_along_axis(result, order, 1 - above, axis=1)
    return result


def _judge(sets: PredictionSets, shares: FloatArray, truth: IntArray) -> dict[str, Any]:
    seen = truth >= 0  # a node of a class without a known label is in no set
    rows = np.arange(len(truth))
    served = sets.contain(shares)
    inside = served[rows, truth] & seen
    counts = np.bincount(truth[seen], minlength=shares.shape[1])
    hits = np.bincount(truth[seen], inside[seen], minlength=shares.shape[1])
    return {
        "coverage": round(float(inside.mean()), 6),
        "threshold": round(float((sets.exceed(shares)[rows, truth] & seen).mean()), 6),
        "size": round(float(served.sum(axis=1).mean()), 4),
        "decided": round(float((served.sum(axis=1) == 1).mean()), 6),
        "classes": [[int(hit), int(count)] for hit, count in zip(hits, counts, strict=True)],
        "own_threshold": int((np.bincount(sets.bins) == 1).sum()),
    }


def _measure_probabilities(
    problem: KnownLabels, selection: Selection, truth: IntArray
) -> dict[str, Any]:
    """Return sums per range of probability: raw, as served, and with a further temperature."""
    raw = sum(one.weight * one.refit.probabilities for one in selection.members)
    known = problem.graph.labels[problem.known]
    temperature = fit_temperature(selection.held_out, known)
    shares = selection.probabilities[problem.tested]
    answers = {
        "raw": np.asarray(raw)[problem.tested],
        "served": shares,
        "scaled": scale_temperature(shares, temperature),
    }
    found: dict[str, Any] = {"temperature": round(temperature, 4)}
    for key, one in answers.items():
        measured = measure_reliability(one, truth)
        found[key] = [
            [int(count), *([] if not count else [round(float(c), 6), round(float(a), 6)])]
            for count, c, a in zip(
                measured.counts, measured.confidence, measured.accuracy, strict=True
            )
        ]
    return found
