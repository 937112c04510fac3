"""Measure the baselines of a network on its own split, within a time limit."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from ml.artifact.manifest import BaselineDocument
from ml.errors import MlError, TrainingInterrupted
from ml.graph.metrics import Metrics, evaluate
from ml.methods.base import Method
from ml.methods.registry import BASELINES
from ml.training.baselines import BaselineTask, FittedMethod, Settings, fit_baseline

OnStep = Callable[[str, Sequence[BaselineDocument]], None]

_RECOVERABLE = (MlError, ValueError, ArithmeticError, RuntimeError, MemoryError, ImportError)
"""Errors that leave a baseline out with the reason; the model itself is unaffected."""


class _TimeUp(Exception):
    """The share of a baseline in the time limit is used up."""


@dataclass(frozen=True, eq=False)
class MeasuredBaseline:
    """The report on a baseline and, unless it was left out, the fitted baseline."""

    report: BaselineDocument
    fitted: FittedMethod | None = None


@dataclass(frozen=True, eq=False)
class _Candidate:
    settings: Settings
    fitted: FittedMethod
    validation: Metrics

    @property
    def rank(self) -> tuple[float, float]:
        return self.validation.accuracy, -self.validation.log_loss


def measure_baselines(
    comparison: BaselineTask,
    seconds: float,
    on_step: OnStep,
    earlier: Iterable[BaselineDocument] = (),
) -> list[MeasuredBaseline]:
    """Measure every baseline that the time allows; report the reason where it does not.

    A baseline is trained on the training nodes; its settings are chosen by accuracy on the
    validation nodes, then by log loss; test labels only measure. Time that a cheap baseline
    leaves unused goes to the later ones. ``on_step`` receives the title of the next baseline
    and the reports so far. ``earlier`` are reports of an interrupted attempt: only the settings
    they name are fitted again.
    """
    reports = {report["key"]: report for report in earlier}
    end = time.monotonic() + seconds
    measured: list[MeasuredBaseline] = []
    for position, method in enumerate(BASELINES):
        on_step(method.title, tuple(one.report for one in measured))
        now = time.monotonic()
        share = max(0.0, end - now) / (len(BASELINES) - position)
        timed = _limit(comparison, now + share)
        report = reports.get(method.key)
        measured.append(
            _measure(method, timed) if report is None else _refit(method, timed, report)
        )
    return measured


def _limit(comparison: BaselineTask, deadline: float) -> BaselineTask:
    def check_stop() -> None:
        comparison.check_stop()
        if time.monotonic() >= deadline:
            raise _TimeUp

    return replace(comparison, check_stop=check_stop)


def _measure(method: Method, comparison: BaselineTask) -> MeasuredBaseline:
    started = time.monotonic()
    report: BaselineDocument = {
        "key": method.key,
        "title": method.title,
        "seed": comparison.seed,
        "skipped": None,
    }
    fitted: FittedMethod | None = None
    try:
        wanted = _list_choices(method, comparison)
        best, tried, problem = _choose(method, comparison, wanted)
        report |= {"tried": tried, "candidates": len(wanted)}
        report |= {"skipped": problem} if best is None else _describe(method, comparison, best)
        fitted = None if best is None else best.fitted
    except TrainingInterrupted:
        raise
    except _RECOVERABLE as error:
        report["skipped"] = _describe_error(error)
    report |= {"promotable": fitted is not None, "seconds": round(time.monotonic() - started, 3)}
    return MeasuredBaseline(report, fitted)


def _refit(method: Method, comparison: BaselineTask, report: BaselineDocument) -> MeasuredBaseline:
    try:
        return MeasuredBaseline(report, fit_baseline(method, comparison, report["settings"]))
    except TrainingInterrupted:
        raise
    except (_TimeUp, *_RECOVERABLE):
        return MeasuredBaseline(report | {"promotable": False})


def _choose(
    method: Method, comparison: BaselineTask, wanted: Sequence[Settings]
) -> tuple[_Candidate | None, int, str | None]:
    best: _Candidate | None = None
    tried = 0
    problem: str | None = None
    for settings in wanted:
        try:
            comparison.check_stop()
            candidate = _try(method, comparison, settings)
        except _TimeUp:
            return best, tried, problem or "its share of the time for baselines was used up"
        except TrainingInterrupted:
            raise
        except _RECOVERABLE as error:
            problem = _describe_error(error)
            continue
        tried += 1
        if best is None or candidate.rank > best.rank:
            best = candidate
    return best, tried, problem


def _try(method: Method, comparison: BaselineTask, settings: Settings) -> _Candidate:
    fitted = fit_baseline(method, comparison, settings)
    labels, nodes = comparison.graph.labels, comparison.split.validation
    return _Candidate(settings, fitted, evaluate(fitted.probabilities, labels, nodes))


def _describe(method: Method, comparison: BaselineTask, best: _Candidate) -> BaselineDocument:
    test = evaluate(best.fitted.probabilities, comparison.graph.labels, comparison.split.test)
    return {
        "settings": best.settings,
        "description": _describe_fit(method, comparison, best.settings),
        "validation": best.validation.summary(),
        "test": test.summary(),
    }


def _list_choices(method: Method, comparison: BaselineTask) -> list[Settings]:
    list_choices = method.baseline_choices
    return [] if list_choices is None else list_choices(comparison.graph, comparison.config)


def _describe_fit(method: Method, comparison: BaselineTask, settings: Settings) -> str | None:
    if method.describe_fit is None:
        return None
    chosen = method.settings(seed=comparison.seed, **settings)
    return method.describe_fit(comparison.graph, comparison.split, chosen)


def _describe_error(error: BaseException) -> str:
    return f"it failed: {str(error)[:200] or type(error).__name__}"
