"""Figures per task over the stored seeds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments.json_lines import Line
from experiments.trust.cells import COVERAGES, TRUST_TASKS
from ml.trust.calibration import BINS, Reliability

SCORES = ("raw", "served", "scaled")


@dataclass(frozen=True)
class SetFigures:
    """Sets of a task at one coverage, means over the seeds.

    ``threshold`` is the coverage before the most probable class is added to empty sets;
    ``error`` is the standard error of the mean of it; ``worst_class`` the lowest coverage of a
    class over all seeds together, ``adaptive_size`` and ``adaptive`` those of the other score.
    """

    promised: float
    coverage: float
    threshold: float
    error: float
    worst_class: float
    size: float
    decided: float
    adaptive: float
    adaptive_size: float
    seeds: int


@dataclass(frozen=True, eq=False)
class TaskFigures:
    """All figures of a task; ``reliability`` is over all seeds together, by score."""

    name: str
    title: str
    labels: int
    classes: int
    grouped: bool
    accuracy: float
    seeds: int
    sets: tuple[SetFigures, ...]
    reliability: dict[str, Reliability]


def summarise(lines: Sequence[Line]) -> list[TaskFigures]:
    """Return the figures of every task with stored cells, in the order of the tasks."""
    found = []
    for name, one in TRUST_TASKS.items():
        members = [line for line in lines if line["task"] == name]
        if not members:
            continue
        sets = [_summarise_sets(members, coverage) for coverage in COVERAGES]
        found.append(
            TaskFigures(
                name=name,
                title=one.task.title,
                labels=round(_mean(members, "labels")),
                classes=round(_mean(members, "classes")),
                grouped=all(line["grouped"] for line in members),
                accuracy=_mean(members, "accuracy"),
                seeds=len(members),
                sets=tuple(figures for figures in sets if figures is not None),
                reliability={score: pool_reliability(members, score) for score in SCORES},
            )
        )
    return found


def _summarise_sets(lines: Sequence[Line], coverage: float) -> SetFigures | None:
    rows: list[dict[str, Any]] = [line["sets"][f"{coverage:g}"] for line in lines]
    rows = [row for row in rows if row["lac"] is not None and row["aps"] is not None]
    if not rows:
        return None
    plain, adaptive = [row["lac"] for row in rows], [row["aps"] for row in rows]
    thresholds = [row["threshold"] for row in plain]
    return SetFigures(
        promised=coverage,
        coverage=_mean(plain, "coverage"),
        threshold=float(np.mean(thresholds)),
        error=float(np.std(thresholds) / np.sqrt(len(thresholds))),
        worst_class=_find_worst(plain),
        size=_mean(plain, "size"),
        decided=_mean(plain, "decided"),
        adaptive=_mean(adaptive, "coverage"),
        adaptive_size=_mean(adaptive, "size"),
        seeds=len(rows),
    )


def _find_worst(rows: Sequence[dict[str, Any]]) -> float:
    """Return the lowest coverage of a class; classes differ in number only if some lack labels."""
    most = max(len(row["classes"]) for row in rows)
    whole = [row["classes"] for row in rows if len(row["classes"]) == most]
    hits, counts = np.sum(whole, axis=0).T
    return float((hits[counts > 0] / counts[counts > 0]).min())


def pool_reliability(lines: Sequence[Line], score: str) -> Reliability:
    """Join the ranges of probability of all seeds."""
    counts, confidence, accuracy = np.zeros(BINS, dtype=np.int64), np.zeros(BINS), np.zeros(BINS)
    for line in lines:
        for place, (count, *means) in enumerate(line["reliability"][score]):
            counts[place] += count
            if means:
                confidence[place] += count * means[0]
                accuracy[place] += count * means[1]
    with np.errstate(invalid="ignore"):
        return Reliability(counts, confidence / counts, accuracy / counts)


def _mean(rows: Sequence[dict[str, Any]], name: str) -> float:
    return float(np.mean([row[name] for row in rows]))
