"""How far a training run is: the last epoch, and curves of bounded length."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from ml import EpochRecord

_LONGEST = 400
_MEASURES = ("train_loss", "validation_loss", "train_accuracy", "validation_accuracy")


class TrainingProgress:
    """Collects epochs; of long runs only every second, fourth, ... stays in the curves."""

    def __init__(self, epochs: int) -> None:
        self._epochs = epochs
        self._stride = 1
        self._points: list[dict[str, Any]] = []
        self._last: dict[str, Any] = {"epoch": 0}

    def add(self, record: EpochRecord) -> None:
        """Take in one epoch."""
        self._add_point(_point_of(record))

    def take_over(self, curves: Mapping[str, list[Any]], epoch: int) -> None:
        """Go on with the curves of an earlier attempt, up to the epoch of its checkpoint."""
        names = ("epoch", *_MEASURES)
        for values in zip(*(curves.get(name, []) for name in names), strict=False):
            point = dict(zip(names, values, strict=True))
            if point["epoch"] <= epoch:
                self._add_point(point)

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values for the row of the job."""
        return {**self._last, "epochs": self._epochs, "curves": _columns(self._points)}

    def _add_point(self, point: dict[str, Any]) -> None:
        self._last = point
        if point["epoch"] % self._stride == 0:
            self._points.append(point)
        if len(self._points) > _LONGEST:
            self._stride *= 2
            self._points = [kept for kept in self._points if kept["epoch"] % self._stride == 0]


def curves_of(records: Iterable[EpochRecord]) -> dict[str, list[Any]]:
    """Return one list per measure; null where a value is not finite."""
    return _columns([_point_of(record) for record in records])


def _point_of(record: EpochRecord) -> dict[str, Any]:
    measures = {name: _plain(getattr(record, name)) for name in _MEASURES}
    return {"epoch": record.epoch, **measures}


def _columns(points: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [point[name] for point in points] for name in ("epoch", *_MEASURES)}


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None
