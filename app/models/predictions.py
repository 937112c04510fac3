"""What a model predicts for every bus, packed for the database and cached for answers."""

import hashlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.errors import StoredDataDamaged
from ml import Split

PART_NAMES = (None, "train", "validation", "test")
"""What a bus was used for, by its code; the first means not at all."""


@dataclass(frozen=True, eq=False)
class Predictions:
    """All answers of one model: immutable. ``warnings`` go with each of them.

    Shapes: probabilities (N, K); parts (N,) positions in ``PART_NAMES``.
    """

    model_id: str
    graph_id: str
    label: str
    class_names: tuple[str, ...]
    probabilities: npt.NDArray[np.float32]
    parts: npt.NDArray[np.uint8]
    warnings: tuple[str, ...] = ()


def pack_probabilities(probabilities: npt.NDArray[np.floating]) -> bytes:
    """Write probabilities (N, K) as float32."""
    return probabilities.astype("<f4").tobytes()


def unpack_probabilities(blob: bytes, class_count: int) -> npt.NDArray[np.float32]:
    """Read probabilities back. Raises: StoredDataDamaged."""
    if class_count == 0 or len(blob) % (4 * class_count):
        raise StoredDataDamaged("Stored predictions cannot be read.")
    return np.frombuffer(blob, "<f4").reshape(-1, class_count)


def pack_parts(split: Split, bus_count: int) -> bytes:
    """Write which bus was trained, validated or tested on, one byte a bus."""
    parts = np.zeros(bus_count, dtype=np.uint8)
    for code, mask in enumerate(split.masks(bus_count), start=1):
        parts[mask] = code
    return parts.tobytes()


def hash_predictions(probabilities: bytes, parts: bytes) -> str:
    """Return the SHA-256 of packed predictions."""
    return hashlib.sha256(probabilities + parts).hexdigest()
