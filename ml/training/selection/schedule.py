"""Turn a time budget into a list of steps before the start, so that a run can be repeated."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ml.training.selection.candidates import LARGE, Candidate, list_candidates
from ml.training.selection.columns import MOST_EXACT_LABELS
from ml.training.selection.edges import list_weightings
from ml.training.selection.folds import FoldPlan, plan_folds
from ml.training.selection.problem import LabelProblem

SURVIVORS = 2
"""Networks that are trained on all folds after one fold each."""
_MOST_SECONDS = 700.0
_FILL_IN = 8.0
"""How much longer large grids take with edges between neighbouring places: their factors fill in.
Measured on 82,000 nodes."""
_HIDDEN_PARTS = 20
"""Solves for the label scores of many labels: a tenth hidden at a time, two reaches."""


@dataclass(frozen=True, slots=True)
class ScheduleStep:
    """One candidate to evaluate, on how many repetitions, and its estimated seconds."""

    candidate: str
    repeats: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Schedule:
    """What is evaluated; plain data that a replay follows to the letter.

    ``networks`` are trained on the first fold; the best ``survivors`` of them on all folds.
    ``skipped`` are candidates that the budget leaves out.
    """

    budget_seconds: float
    folds: int
    repeats: int
    steps: tuple[ScheduleStep, ...]
    networks: tuple[ScheduleStep, ...]
    survivors: int
    skipped: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "Schedule":
        """Read what ``as_dict`` wrote."""
        steps, networks = (
            tuple(ScheduleStep(**step) for step in stored[part]) for part in ("steps", "networks")
        )
        rest = {"steps": steps, "networks": networks, "skipped": tuple(stored["skipped"])}
        return cls(**{**stored, **rest})

    @property
    def seconds(self) -> float:
        """Estimated seconds of the whole run."""
        cheap = sum(step.seconds for step in self.steps)
        dear = sorted((step.seconds for step in self.networks), reverse=True)
        return cheap + sum(dear) + self.folds * sum(dear[: self.survivors])


def default_budget(node_count: int) -> float:
    """Return the seconds that choosing may take: 6 at 118 nodes, about 60 at 2,000."""
    return min(_MOST_SECONDS, 6.0 * math.pow(max(1.0, node_count / 118), 0.8))


def plan_schedule(problem: LabelProblem, budget_seconds: float | None = None) -> Schedule:
    """Fit candidates into a budget in the order of what they usually bring.

    The first propagation is always evaluated. Trained methods use one repetition.
    """
    count = problem.graph.node_count
    budget = default_budget(count) if budget_seconds is None else budget_seconds
    plan = plan_folds(problem)
    candidates = list_candidates(problem)
    if plan.folds == 0:
        first = ScheduleStep(candidates[0].key, 0, 0.0)
        keys = tuple(one.key for one in candidates[1:])
        return Schedule(budget, 0, 0, (first,), (), 0, keys)
    left = budget
    steps: list[ScheduleStep] = []
    skipped: list[str] = []
    for candidate in _order(candidates):
        step = _make_step(problem, plan, candidate)
        if steps and step.seconds > left:
            skipped.append(candidate.key)
            continue
        left -= step.seconds
        steps.append(step)
    # Networks never won on the tuning tasks and take most of the time: only on request.
    networks = () if budget_seconds is None else _fit_networks(problem, plan, candidates, left)
    chosen = {step.candidate for step in networks}
    skipped += [one.key for one in candidates if one.family == "network" and one.key not in chosen]
    survivors = min(SURVIVORS, len(networks))
    return Schedule(
        budget, plan.folds, plan.repeats, tuple(steps), networks, survivors, tuple(skipped)
    )


def _order(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the cheap candidates: ordinary walks, feature methods, then fractional walks."""
    spread = [one for one in candidates if one.family == "propagation"]
    ordinary = [one for one in spread if one.settings["gamma"] == 1]
    tabular = [one for one in candidates if one.family == "tabular"]
    return [*ordinary, *tabular, *(one for one in spread if one.settings["gamma"] < 1)]


def _make_step(problem: LabelProblem, plan: FoldPlan, candidate: Candidate) -> ScheduleStep:
    if candidate.family == "propagation":
        seconds = _time_propagation(problem, plan, candidate)
        return ScheduleStep(candidate.key, plan.repeats, round(seconds, 4))
    fits = plan.folds + 1
    return ScheduleStep(candidate.key, 1, round(fits * _time_tabular(problem, candidate), 4))


def _time_propagation(problem: LabelProblem, plan: FoldPlan, candidate: Candidate) -> float:
    """Estimate seconds; a factorisation is shared by about four read-outs."""
    nodes, labels, classes = problem.graph.node_count, len(problem.known), problem.graph.class_count
    if labels > MOST_EXACT_LABELS:
        solve = _time_solve(problem, candidate.settings["edges"])
        return float(plan.folds * plan.repeats * solve)
    shared = 2e-5 * nodes + 2e-8 * nodes * labels
    if candidate.settings["gamma"] < 1:
        shared += 1.2e-10 * nodes**3
    own = plan.repeats * (1e-9 * labels**3 + 3e-8 * labels**2 * classes + 4e-4)
    return float(shared / 4 + own)


def _time_solve(problem: LabelProblem, edges: str) -> float:
    """Estimate the seconds of spreading all labels once."""
    nodes = problem.graph.node_count
    slower = _FILL_IN if edges == "neighbourhood" and nodes > LARGE else 1.0
    return float(slower * nodes * (1e-5 + 6e-8 * problem.graph.class_count))


def _time_tabular(problem: LabelProblem, candidate: Candidate) -> float:
    nodes, labels, classes = problem.graph.node_count, len(problem.known), problem.graph.class_count
    width = max(1, problem.graph.features.shape[1])
    parts: tuple[str, ...] = candidate.settings["parts"]
    columns = width * len([part for part in parts if part not in {"places", "scores"}])
    seconds = 0.0
    if "scores" in parts:
        columns += 2 * classes
        if labels > MOST_EXACT_LABELS:
            seconds += _HIDDEN_PARTS * _time_solve(problem, list_weightings(problem)[0])
        else:
            seconds += 1e-5 * nodes + 2e-8 * nodes * labels
    if candidate.method == "nearest":
        return 5e-6 * nodes
    if candidate.method == "logistic":
        return float(seconds + 0.005 + 8e-8 * labels * columns * classes)
    growing = 60 * (1.4e-3 + 6e-8 * labels * math.log2(labels + 2) * math.sqrt(columns))
    return float(seconds + growing + 60 * 2e-8 * nodes * (10 + classes))


def _fit_networks(
    problem: LabelProblem, plan: FoldPlan, candidates: Sequence[Candidate], left: float
) -> tuple[ScheduleStep, ...]:
    """Return the networks of which one fold each and all folds of the survivors fit."""
    chosen: list[ScheduleStep] = []
    for candidate in candidates:
        if candidate.family != "network":
            continue
        step = ScheduleStep(candidate.key, 1, round(_time_network(problem, candidate), 4))
        costs = sorted([*(one.seconds for one in chosen), step.seconds], reverse=True)
        if sum(costs) + plan.folds * sum(costs[:SURVIVORS]) <= left:
            chosen.append(step)
    return tuple(chosen)


def _time_network(problem: LabelProblem, candidate: Candidate) -> float:
    """Estimate the seconds of one training."""
    nodes = problem.graph.node_count
    epochs = candidate.settings["stops"][-1]
    if candidate.method in {"lfgcn", "lfgcn_plus"}:
        members = candidate.settings.get("members", 1)
        return float(epochs * members * (1.2e-3 + 3e-8 * nodes**2))
    return float(epochs * (1e-3 + 6e-6 * nodes))
