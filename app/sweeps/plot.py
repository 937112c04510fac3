"""Validation accuracy against each setting that was varied, ready to be drawn."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from app.sweeps.summary import Candidate


def plot_parameter(name: str, candidates: Sequence[Candidate]) -> dict[str, Any]:
    """Return one row for each value of a setting, over whatever the other settings were.

    Numbers come in order of size, before anything else in the order of the request.
    """
    accuracies: dict[str, tuple[Any, list[float]]] = {}
    for candidate in sorted(candidates, key=lambda one: one.trials[0].position):
        value = candidate.parameters[name]
        _, known = accuracies.setdefault(repr(value), (value, []))
        known.extend(trial.measure("validation") or 0.0 for trial in candidate.finished)
    measured = [(value, known) for value, known in accuracies.values() if known]
    measured.sort(key=lambda one: _order(one[0]))
    return {
        "parameter": name,
        "value": [value for value, _ in measured],
        "mean": [fmean(known) for _, known in measured],
        "low": [min(known) for _, known in measured],
        "high": [max(known) for _, known in measured],
        "trials": [len(known) for _, known in measured],
    }


def _order(value: Any) -> tuple[bool, float]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return False, value
    return True, 0.0
