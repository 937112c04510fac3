"""Progress of a training run: the last epoch, and learning curves of bounded length."""

import math
from collections.abc import Iterable
from typing import cast

from app.storage.documents import Curves, JobProgress
from ml import EpochRecord

Point = dict[str, int | float | None]
"""The figures of one epoch, by name; ``epoch`` is always a whole number."""

_LONGEST = 400
_MEASURES = ("train_loss", "validation_loss", "train_accuracy", "validation_accuracy")


class TrainingProgress:
    """Collects epochs; long runs keep only every second, fourth, ... epoch in their curves."""

    def __init__(self, epochs: int) -> None:
        self._epochs = epochs
        self._stride = 1
        self._points: list[Point] = []
        self._last: Point = {"epoch": 0}

    @classmethod
    def of_run(cls, records: Iterable[EpochRecord], epochs: int) -> "TrainingProgress":
        """Return the progress of a finished run of at most ``epochs`` epochs."""
        progress = cls(epochs)
        for record in records:
            progress.add(record)
        return progress

    def add(self, record: EpochRecord) -> None:
        """Add one epoch."""
        self._add_point(_make_point(record))

    def resume(self, curves: Curves, epoch: int) -> None:
        """Continue the curves of an earlier attempt, up to the epoch of its checkpoint."""
        names = ("epoch", *_MEASURES)
        for values in zip(*(curves.get(name, []) for name in names), strict=False):
            point = dict(zip(names, values, strict=True))
            if (point["epoch"] or 0) <= epoch:
                self._add_point(point)

    def as_dict(self) -> JobProgress:
        """Return JSON values for the row of the job."""
        progress = cast("JobProgress", self._last)
        return {**progress, "epochs": self._epochs, "curves": _make_columns(self._points)}

    def _add_point(self, point: Point) -> None:
        self._last = point
        if self._is_shown(point):
            self._points.append(point)
        if len(self._points) > _LONGEST:
            self._stride *= 2
            self._points = [point for point in self._points if self._is_shown(point)]

    def _is_shown(self, point: Point) -> bool:
        return (point["epoch"] or 0) % self._stride == 0


def make_curves(records: Iterable[EpochRecord]) -> Curves:
    """Return one list per figure; null where a value is not finite."""
    return _make_columns([_make_point(record) for record in records])


def _make_point(record: EpochRecord) -> Point:
    return {"epoch": record.epoch} | {name: _finite(getattr(record, name)) for name in _MEASURES}


def _make_columns(points: list[Point]) -> Curves:
    return {name: [point[name] for point in points] for name in ("epoch", *_MEASURES)}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
