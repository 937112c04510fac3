"""Validation accuracy against each varied setting, as columns to plot."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from app.sweeps.summary import SweepCandidate


@dataclass(frozen=True)
class ParameterPlot:
    """Columns of equal length: one row per value of a setting."""

    parameter: str
    value: list[Any]
    mean: list[float]
    low: list[float]
    high: list[float]
    trials: list[int]


def plot_parameter(name: str, candidates: Sequence[SweepCandidate]) -> ParameterPlot:
    """Return one row per value of a setting, over all values of the other settings.

    Numbers come first, in ascending order; other values follow in the order of the request.
    """
    by_value: dict[str, tuple[Any, list[float]]] = {}
    for candidate in sorted(candidates, key=lambda candidate: candidate.trials[0].position):
        value = candidate.parameters[name]
        _, accuracies = by_value.setdefault(repr(value), (value, []))
        accuracies.extend(trial.validation.accuracy or 0.0 for trial in candidate.finished)
    measured = [(value, accuracies) for value, accuracies in by_value.values() if accuracies]
    measured.sort(key=lambda row: _order(row[0]))
    return ParameterPlot(
        parameter=name,
        value=[value for value, _ in measured],
        mean=[fmean(accuracies) for _, accuracies in measured],
        low=[min(accuracies) for _, accuracies in measured],
        high=[max(accuracies) for _, accuracies in measured],
        trials=[len(accuracies) for _, accuracies in measured],
    )


def _order(value: Any) -> tuple[bool, float]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return False, value
    return True, 0.0
