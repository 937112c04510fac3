"""Measure the rivals of a network on its own split, within a time limit."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ml.errors import MlError, TrainingInterrupted
from ml.graph.metrics import Metrics, evaluate
from ml.training.baselines import RIVALS, FittedRival, Rival, Settings, Trial

Report = dict[str, Any]
OnStep = Callable[[str, Sequence[Report]], None]

_SHOWN = ("count", "accuracy", "macro_f1", "log_loss")
_RECOVERABLE = (MlError, ValueError, ArithmeticError, RuntimeError, MemoryError, ImportError)
"""What a rival may fail by: it is then left out with the reason; the model stays."""


class _TimeUp(Exception):
    """The share of a rival in the time limit is used up."""


@dataclass(frozen=True, eq=False)
class Measurement:
    """The report on a rival and, unless it was left out, the rival as it was measured."""

    report: Report
    fitted: FittedRival | None = None


@dataclass(frozen=True, eq=False)
class _Candidate:
    settings: Settings
    fitted: FittedRival
    validation: Metrics

    @property
    def rank(self) -> tuple[float, float]:
        return self.validation.accuracy, -self.validation.log_loss


def measure_rivals(
    trial: Trial, seconds: float, on_step: OnStep, known: Iterable[Report] = ()
) -> list[Measurement]:
    """Measure every rival that the time allows; say why where it does not.

    A rival is trained on the training nodes; its settings are chosen by accuracy on the
    validation nodes, then by log loss; test labels only measure. What a cheap rival leaves of
    its share of ``seconds`` is the others'. ``on_step`` hears the title of the next rival and
    the reports so far. ``known`` are reports of an earlier attempt: they are kept, and only
    the settings they name are fitted again.
    """
    kept = {report["key"]: report for report in known}
    end = time.monotonic() + seconds
    measured: list[Measurement] = []
    for position, rival in enumerate(RIVALS):
        on_step(rival.title, tuple(each.report for each in measured))
        now = time.monotonic()
        share = max(0.0, end - now) / (len(RIVALS) - position)
        timed = _limit(trial, now + share)
        report = kept.get(rival.key)
        measured.append(_measure(rival, timed) if report is None else _refit(rival, timed, report))
    return measured


def _limit(trial: Trial, deadline: float) -> Trial:
    def pulse() -> None:
        trial.pulse()
        if time.monotonic() >= deadline:
            raise _TimeUp

    return replace(trial, pulse=pulse)


def _measure(rival: Rival, trial: Trial) -> Measurement:
    started = time.monotonic()
    report: Report = {"key": rival.key, "title": rival.title, "seed": trial.seed, "skipped": None}
    fitted: FittedRival | None = None
    try:
        wanted = rival.list_settings(trial)
        best, tried, problem = _choose(rival, trial, wanted)
        report |= {"tried": tried, "candidates": len(wanted)}
        report |= {"skipped": problem} if best is None else _describe(rival, trial, best)
        fitted = None if best is None else best.fitted
    except TrainingInterrupted:
        raise
    except _RECOVERABLE as error:
        report["skipped"] = _tell(error)
    report |= {"promotable": fitted is not None, "seconds": round(time.monotonic() - started, 3)}
    return Measurement(report, fitted)


def _refit(rival: Rival, trial: Trial, report: Report) -> Measurement:
    try:
        return Measurement(report, rival.fit(trial, report["settings"]))
    except TrainingInterrupted:
        raise
    except (_TimeUp, *_RECOVERABLE):
        return Measurement(report | {"promotable": False})


def _choose(
    rival: Rival, trial: Trial, wanted: Sequence[Settings]
) -> tuple[_Candidate | None, int, str | None]:
    best: _Candidate | None = None
    tried = 0
    problem: str | None = None
    for settings in wanted:
        try:
            trial.pulse()
            candidate = _try(rival, trial, settings)
        except _TimeUp:
            return best, tried, problem or "its share of the time for baselines was used up"
        except TrainingInterrupted:
            raise
        except _RECOVERABLE as error:
            problem = _tell(error)
            continue
        tried += 1
        if best is None or candidate.rank > best.rank:
            best = candidate
    return best, tried, problem


def _try(rival: Rival, trial: Trial, settings: Settings) -> _Candidate:
    fitted = rival.fit(trial, settings)
    labels, nodes = trial.graph.labels, trial.split.validation
    return _Candidate(settings, fitted, evaluate(fitted.probabilities, labels, nodes))


def _describe(rival: Rival, trial: Trial, best: _Candidate) -> Report:
    test = evaluate(best.fitted.probabilities, trial.graph.labels, trial.split.test)
    return {
        "settings": best.settings,
        "description": rival.describe(trial, best.settings) if rival.describe else None,
        "validation": _show(best.validation),
        "test": _show(test),
    }


def _show(metrics: Metrics) -> dict[str, Any]:
    plain = metrics.as_dict()
    return {name: plain[name] for name in _SHOWN}


def _tell(error: BaseException) -> str:
    return f"it failed: {str(error)[:200] or type(error).__name__}"
