"""Means, standard deviations and paired differences of stored runs."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

CONFIDENCE = 0.95


@dataclass(frozen=True)
class AccuracySummary:
    """Mean and standard deviation of the test accuracy in percent."""

    mean: float
    deviation: float
    seeds: int

    def __str__(self) -> str:
        return f"{self.mean:.2f} ({self.deviation:.2f})"


@dataclass(frozen=True)
class PairedDifference:
    """Mean paired difference in points, its interval, and the p-value of a paired t-test."""

    mean: float
    low: float
    high: float
    p_value: float
    pairs: int

    def __str__(self) -> str:
        return f"{self.mean:+.2f} [{self.low:+.2f}, {self.high:+.2f}]"


def summarise(runs: list[dict[str, Any]]) -> AccuracySummary:
    """Return mean and sample deviation over the seeds, in percent."""
    accuracies = 100 * np.array([run["accuracy"] for run in runs])
    deviation = accuracies.std(ddof=1) if len(runs) > 1 else 0.0
    return AccuracySummary(float(accuracies.mean()), float(deviation), len(runs))


def compare(runs: list[dict[str, Any]], others: list[dict[str, Any]]) -> PairedDifference | None:
    """Compare two methods seed by seed; ``None`` if they share fewer than two seeds.

    Equation: ``d +- t_(n-1) s_d / sqrt(n)`` and the two-sided paired t-test.
    Deviation: equal differences at all seeds have an interval of width zero and p-value zero,
        or one if the difference is zero.
    """
    first = {run["seed"]: 100 * run["accuracy"] for run in runs}
    second = {run["seed"]: 100 * run["accuracy"] for run in others}
    shared = sorted(first.keys() & second.keys())
    if len(shared) < 2:
        return None
    gaps = np.array([first[seed] - second[seed] for seed in shared])
    mean, error = float(gaps.mean()), float(gaps.std(ddof=1) / np.sqrt(len(gaps)))
    if error < 1e-12:
        return PairedDifference(mean, mean, mean, 1.0 if abs(mean) < 1e-12 else 0.0, len(gaps))
    freedom = len(gaps) - 1
    reach = float(stats.t.ppf((1 + CONFIDENCE) / 2, freedom)) * error
    p_value = float(2 * stats.t.sf(abs(mean) / error, freedom))
    return PairedDifference(mean, mean - reach, mean + reach, p_value, len(gaps))
