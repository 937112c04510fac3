"""Predictions of a model for every bus: packed for the database, cached for answers."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from app.errors import StoredDataDamaged
from app.grid.grid import UNKNOWN_CLASS, LabelSet
from app.models.card.headline import list_baseline_warnings, list_leak_warnings
from app.models.card.reports import Part, SelectionReport
from app.storage.tables import ModelRow, PredictionRow
from ml import Split
from ml.arrays import IntArray

Source = Literal["known", "predicted"]
"""Where an answer comes from: the label set, or the model."""
PART_NAMES: tuple[Part | None, ...] = (None, "train", "validation", "test")
"""Part of the split that a bus belongs to, by its code; code 0 means none."""


@dataclass(frozen=True, eq=False)
class Predictions:
    """Predictions of one model, immutable. ``warnings`` are part of every answer.

    Shapes: probabilities (N, K); parts (N,) positions in ``PART_NAMES``.
    """

    model_id: str
    graph_id: str
    label: str
    class_names: tuple[str, ...]
    probabilities: npt.NDArray[np.float32]
    parts: npt.NDArray[np.uint8]
    created_at: datetime
    warnings: tuple[str, ...] = ()
    label_version: int = 1
    feature_names: tuple[str, ...] = ()
    is_out_of_fold: bool = False
    """Whether the training buses are predicted by models that did not see their label."""
    is_grouped: bool = False
    """Whether these models saw no bus of the same substation either."""


def make_predictions(row: ModelRow, stored: PredictionRow) -> Predictions:
    """Unpack the stored predictions of a model. Raises: StoredDataDamaged."""
    return Predictions(
        model_id=row.id,
        graph_id=row.graph_id,
        label=row.label,
        label_version=row.label_version,
        class_names=tuple(row.class_names),
        probabilities=unpack_probabilities(stored.probabilities, len(row.class_names)),
        parts=np.frombuffer(stored.parts, np.uint8),
        created_at=row.created_at,
        warnings=(*list_baseline_warnings(row), *list_leak_warnings(row)),
        feature_names=tuple(row.manifest.get("feature_names", ())),
        is_out_of_fold=row.kind == "auto",
        is_grouped=SelectionReport.from_stored(row.manifest.get("selection")).grouped,
    )


@dataclass(frozen=True, eq=False)
class Answers:
    """The model's class of every bus beside its known label, which is the answer where it exists.

    Shapes: (N,) each, positions in the class names of the model; ``known`` is -1 where unknown.
    """

    predicted: IntArray
    known: IntArray

    @classmethod
    def join(cls, predictions: Predictions, label_set: LabelSet | None) -> Self:
        """Take the labels of a set; a class that the model does not have counts as unknown."""
        predicted = np.argmax(predictions.probabilities, axis=1)
        if label_set is None:
            return cls(predicted, np.full(len(predicted), UNKNOWN_CLASS))
        return cls(predicted, find_known(predictions, label_set))

    @property
    def answers(self) -> IntArray:
        """The known class where there is one, else the predicted one."""
        return np.where(self.known == UNKNOWN_CLASS, self.predicted, self.known)

    @property
    def sources(self) -> list[Source]:
        """Where each answer comes from."""
        return ["predicted" if known == UNKNOWN_CLASS else "known" for known in self.known]


def find_known(predictions: Predictions, label_set: LabelSet) -> IntArray:
    """Return the known classes as positions in the class names of a model, (N,)."""
    position = {name: code for code, name in enumerate(predictions.class_names)}
    codes = [position.get(name, UNKNOWN_CLASS) for name in label_set.class_names]
    return np.array([*codes, UNKNOWN_CLASS], dtype=np.int64)[label_set.classes]


@dataclass(frozen=True)
class PackedPredictions:
    """Predictions as the database stores them.

    ``probabilities`` is float32, buses by classes; ``parts`` is one byte per bus.
    """

    probabilities: bytes
    parts: bytes

    @classmethod
    def pack(cls, probabilities: npt.NDArray[np.floating[Any]], split: Split) -> Self:
        """Pack probabilities (N, K) and the split of the N buses."""
        return cls(pack_probabilities(probabilities), pack_parts(split, len(probabilities)))

    @property
    def sha256(self) -> str:
        """SHA-256 over both arrays."""
        return hashlib.sha256(self.probabilities + self.parts).hexdigest()


def pack_probabilities(probabilities: npt.NDArray[np.floating]) -> bytes:
    """Write probabilities (N, K) as float32."""
    return probabilities.astype("<f4").tobytes()


def unpack_probabilities(blob: bytes, class_count: int) -> npt.NDArray[np.float32]:
    """Read packed probabilities. Raises: StoredDataDamaged."""
    if class_count == 0 or len(blob) % (4 * class_count):
        raise StoredDataDamaged("The stored predictions have the wrong size.")
    return np.frombuffer(blob, "<f4").reshape(-1, class_count)


def pack_parts(split: Split, bus_count: int) -> bytes:
    """Write the part of the split that each bus belongs to, one byte per bus."""
    parts = np.zeros(bus_count, dtype=np.uint8)
    for code, mask in enumerate(split.masks(bus_count), start=1):
        parts[mask] = code
    return parts.tobytes()
