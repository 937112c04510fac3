"""Choose the best method for a problem, refit it on every known label, and say how good it is."""

import dataclasses
import time
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field

import numpy as np

from ml.arrays import FloatArray
from ml.errors import MlError
from ml.training.selection.candidates import Candidate, list_candidates
from ml.training.selection.ensemble import ChosenMembers, Pool, choose, combine, make_pool, sharpen
from ml.training.selection.estimate import AccuracyEstimate, estimate_accuracy
from ml.training.selection.evaluation import Evaluator, Refit, measure_ungrouped
from ml.training.selection.folds import FoldPlan, assign_folds
from ml.training.selection.problem import LabelProblem
from ml.training.selection.schedule import Schedule, plan_schedule

OnStep = Callable[[str, int, int], None]
Stored = MutableMapping[str, FloatArray]


@dataclass(frozen=True)
class CandidateRow:
    """One line of the table of candidates; figures are out of fold, None if not evaluated."""

    key: str
    family: str
    accuracy: float | None
    log_loss: float | None
    seconds: float
    status: str


@dataclass(frozen=True, eq=False)
class Member:
    """A part of the chosen model, refitted on every known label.

    Its answer is ``sharpen(refit.probabilities, sharpness, n)`` for n known labels.
    """

    candidate: Candidate
    weight: float
    sharpness: float
    refit: Refit


@dataclass(frozen=True, eq=False)
class Selection:
    """The chosen model, the evidence for it and its answers.

    ``held_out`` are the out-of-fold probabilities of the known nodes, ``probabilities`` those
    of the refitted model for every node; ``estimate`` is None where nothing could be held out,
    and ``reason`` says why the choice is what it is.

    Shapes: held_out (n, K), probabilities (N, K).
    """

    schedule: Schedule
    rows: tuple[CandidateRow, ...]
    members: tuple[Member, ...]
    held_out: FloatArray
    probabilities: FloatArray
    estimate: AccuracyEstimate | None
    reason: str


@dataclass
class _Run:
    """The state of a selection: what was evaluated so far."""

    evaluator: Evaluator
    stored: Stored
    on_step: OnStep
    total: int
    held_out: dict[str, FloatArray] = field(default_factory=dict)
    candidates: dict[str, Candidate] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    status: dict[str, str] = field(default_factory=dict)

    def recall(self, key: str, make: Callable[[], FloatArray]) -> FloatArray:
        """Return a stored array, or make and store it."""
        if key not in self.stored:
            self.stored[key] = make()
        return self.stored[key]


def select(
    problem: LabelProblem,
    schedule: Schedule | None = None,
    on_step: OnStep | None = None,
    stored: Stored | None = None,
) -> Selection:
    """Evaluate the candidates of a schedule, choose, and refit on every known label.

    ``on_step`` receives the candidate that starts, its number and their total; an exception
    from it ends the run. ``stored`` receives small arrays as they are made; a run that is
    given those of an earlier one continues it, with the same result.
    """
    schedule = plan_schedule(problem) if schedule is None else schedule
    listed = {one.key: one for one in list_candidates(problem)}
    if schedule.folds == 0:
        return _choose_without_evidence(problem, schedule, listed)
    folds = assign_folds(problem, FoldPlan(schedule.folds, schedule.repeats))
    total = len(schedule.steps) + len(schedule.networks)
    run = _Run(
        Evaluator(problem, folds), {} if stored is None else stored, on_step or _ignore, total
    )
    _evaluate_cheap(run, schedule, listed)
    _evaluate_networks(run, schedule, listed)
    return _conclude(problem, schedule, run)


def _ignore(_key: str, _number: int, _total: int) -> None:
    return


def _evaluate_cheap(run: _Run, schedule: Schedule, listed: dict[str, Candidate]) -> None:
    for number, step in enumerate(schedule.steps):
        candidate = listed[step.candidate]
        run.on_step(candidate.key, number, run.total)
        started = time.perf_counter()
        answers = [
            run.recall(
                f"{candidate.key}#{repeat}",
                lambda one=candidate, row=repeat: run.evaluator.hold_out(one, row),  # type: ignore[misc]
            )
            for repeat in range(step.repeats)
        ]
        run.seconds[candidate.key] = time.perf_counter() - started
        run.held_out[candidate.key] = np.stack(answers)
        run.candidates[candidate.key] = candidate


def _evaluate_networks(run: _Run, schedule: Schedule, listed: dict[str, Candidate]) -> None:
    """Train every network on one fold and the best ones on all (successive halving)."""
    trials: list[tuple[float, str]] = []
    for number, step in enumerate(schedule.networks, start=len(schedule.steps)):
        run.on_step(step.candidate, number, run.total)
        answers = _train(run, listed[step.candidate], range(1))
        if answers is not None:
            trials.append((_best_loss(run, answers), step.candidate))
    order = [key for _, key in sorted(trials)]
    for key in order[schedule.survivors :]:
        run.status[key] = "stopped after one fold: other networks were better"
    for key in order[: schedule.survivors]:
        run.on_step(key, run.total, run.total)
        answers = _train(run, listed[key], range(schedule.folds))
        if answers is not None:
            _enter_network(run, listed[key], answers)


def _train(run: _Run, candidate: Candidate, folds: range) -> list[FloatArray] | None:
    started = time.perf_counter()
    try:
        return [
            run.recall(
                f"{candidate.key}#0#{fold}",
                lambda part=fold: run.evaluator.train_on_fold(candidate, part),  # type: ignore[misc]
            )
            for fold in folds
        ]
    except MlError as error:
        run.status[candidate.key] = f"failed: {error}"
        return None
    finally:
        spent = time.perf_counter() - started
        run.seconds[candidate.key] = run.seconds.get(candidate.key, 0.0) + spent


def _best_loss(run: _Run, answers: list[FloatArray]) -> float:
    truth = run.evaluator.problem.truth[run.evaluator.folds[0] == 0]
    given = answers[0][:, np.arange(len(truth)), truth]
    return float(-np.log(np.maximum(given, 1e-3)).mean(axis=1).min())


def _enter_network(run: _Run, candidate: Candidate, answers: list[FloatArray]) -> None:
    """Enter a network once per number of epochs that it was judged at."""
    folds = run.evaluator.folds[0]
    whole = np.zeros((len(answers[0]), *run.evaluator.problem.indicator.shape))
    for fold, answer in enumerate(answers):
        whole[:, folds == fold] = answer
    for stop, answer in zip(candidate.settings["stops"], whole, strict=True):
        key = f"{candidate.key}@{stop}"
        settings = {**candidate.settings, "stops": (stop,)}
        run.candidates[key] = dataclasses.replace(candidate, key=key, settings=settings)
        run.held_out[key] = answer[None]
        run.seconds[key] = run.seconds[candidate.key]


def _conclude(problem: LabelProblem, schedule: Schedule, run: _Run) -> Selection:
    entered = list(run.held_out)
    pool = make_pool(
        entered,
        [run.candidates[key].family for key in entered],
        [run.candidates[key].prior_cost for key in entered],
        [run.held_out[key] for key in entered],
        problem.truth,
    )
    choice = choose(pool, np.ones(len(problem.truth)))
    members = tuple(
        Member(
            run.candidates[entered[place]],
            weight,
            float(pool.sharpness[place]),
            run.evaluator.refit(run.candidates[entered[place]]),
        )
        for place, weight in zip(choice.members, choice.weights, strict=True)
    )

    def weigh_answers(given: list[FloatArray]) -> FloatArray:
        powers = [one.sharpness for one in members]
        pairs = zip(given, powers, strict=True)
        return combine(choice, [sharpen(one, power, len(problem.known)) for one, power in pairs])

    plan = FoldPlan(schedule.folds, schedule.repeats)
    chosen = [one.candidate for one in members]
    return Selection(
        schedule=schedule,
        rows=_tabulate(schedule, run, pool, choice),
        members=members,
        held_out=combine(choice, [pool.answers[place] for place in choice.members]),
        probabilities=weigh_answers([one.refit.probabilities for one in members]),
        estimate=dataclasses.replace(
            estimate_accuracy(pool, problem.known_groups, problem.seed),
            ungrouped=measure_ungrouped(problem, plan, chosen, weigh_answers),
        ),
        reason=f"least out-of-fold log loss of {len(entered)} candidates",
    )


def _tabulate(
    schedule: Schedule, run: _Run, pool: Pool, choice: ChosenMembers
) -> tuple[CandidateRow, ...]:
    rows = [
        CandidateRow(
            key,
            family,
            float(pool.hits[place].mean()),
            float(pool.losses[place].mean()),
            run.seconds[key],
            "chosen" if place in choice.members else "evaluated",
        )
        for place, (key, family) in enumerate(zip(pool.keys, pool.families, strict=True))
    ]
    rows.sort(key=lambda row: row.log_loss if row.log_loss is not None else 0.0)
    for key, status in run.status.items():
        rows.append(CandidateRow(key, "network", None, None, run.seconds[key], status))
    reason = "left out: the time budget is too small"
    rows.extend(CandidateRow(key, "", None, None, 0.0, reason) for key in schedule.skipped)
    return tuple(rows)


def _choose_without_evidence(
    problem: LabelProblem, schedule: Schedule, listed: dict[str, Candidate]
) -> Selection:
    """Use the default where the labels are too few to compare methods."""
    candidate = listed[schedule.steps[0].candidate]
    alone = np.arange(len(problem.known))[None]
    evaluator = Evaluator(problem, alone)
    refit = evaluator.refit(candidate)
    if len(problem.known) > 1:
        held_out = evaluator.hold_out(candidate, 0)
    else:
        held_out = np.full_like(problem.indicator, 1 / problem.graph.class_count)
    reason = (
        f"{len(problem.known)} known labels of {int((problem.counts > 0).sum())} classes are too "
        "few to compare methods; the default was used. Label at least four nodes, two per class."
    )
    row = CandidateRow(candidate.key, candidate.family, None, None, 0.0, "chosen")
    member = Member(candidate, 1.0, 1.0, refit)
    return Selection(schedule, (row,), (member,), held_out, refit.probabilities, None, reason)
