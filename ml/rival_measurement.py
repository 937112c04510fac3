"""Measure the rivals of a network on its own split, within a time limit."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ml.arrays import FloatArray
from ml.errors import MlError, TrainingInterrupted
from ml.metrics import Metrics, evaluate
from ml.rivals import RIVALS, Rival, Settings, Trial

Report = dict[str, Any]
OnStep = Callable[[str, Sequence[Report]], None]

_SHOWN = ("count", "accuracy", "macro_f1", "log_loss")
_RECOVERABLE = (MlError, ValueError, ArithmeticError, RuntimeError, MemoryError, ImportError)
"""What a rival may fail by: it is then left out with the reason; the model stays."""


class _TimeUp(Exception):
    """The share of a rival in the time limit is used up."""


@dataclass(frozen=True, eq=False)
class _Candidate:
    settings: Settings
    probabilities: FloatArray
    validation: Metrics

    @property
    def rank(self) -> tuple[float, float]:
        return self.validation.accuracy, -self.validation.log_loss


def measure_rivals(
    trial: Trial, seconds: float, on_step: OnStep, known: Iterable[Report] = ()
) -> list[Report]:
    """Measure every rival that the time allows; say why where it does not.

    A rival is trained on the training nodes; its settings are chosen by accuracy on the
    validation nodes, then by log loss; test labels only measure. What a cheap rival leaves of
    its share of ``seconds`` is the others'. ``on_step`` hears the title of the next rival and
    the reports so far; ``known`` are reports of an earlier attempt, which are kept.
    """
    kept = {report["key"]: report for report in known}
    end = time.monotonic() + seconds
    reports: list[Report] = []
    for position, rival in enumerate(RIVALS):
        on_step(rival.title, tuple(reports))
        report = kept.get(rival.key)
        if report is None:
            now = time.monotonic()
            share = max(0.0, end - now) / (len(RIVALS) - position)
            report = _measure(rival, trial, now + share)
        reports.append(report)
    return reports


def _measure(rival: Rival, trial: Trial, deadline: float) -> Report:
    started = time.monotonic()

    def pulse() -> None:
        trial.pulse()
        if time.monotonic() >= deadline:
            raise _TimeUp

    timed = replace(trial, pulse=pulse)
    report: Report = {"key": rival.key, "title": rival.title, "seed": trial.seed, "skipped": None}
    try:
        wanted = rival.list_settings(trial)
        best, tried, problem = _choose(rival, timed, wanted)
        report |= {"tried": tried, "candidates": len(wanted)}
        report |= {"skipped": problem} if best is None else _describe(rival, trial, best)
    except TrainingInterrupted:
        raise
    except _RECOVERABLE as error:
        report["skipped"] = _tell(error)
    return report | {"seconds": round(time.monotonic() - started, 3)}


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
    probabilities = rival.classify(trial, settings)
    labels, nodes = trial.graph.labels, trial.split.validation
    return _Candidate(settings, probabilities, evaluate(probabilities, labels, nodes))


def _describe(rival: Rival, trial: Trial, best: _Candidate) -> Report:
    test = evaluate(best.probabilities, trial.graph.labels, trial.split.test)
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
