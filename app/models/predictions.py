"""Predictions of a model for every bus: packed for the database, cached for answers."""

import hashlib
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from app.errors import StoredDataDamaged
from app.models.card.reports import Part
from ml import Split

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
    warnings: tuple[str, ...] = ()


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
