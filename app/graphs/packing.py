"""What a stored grid is known by: its blob, the classes of its label sets, their hash."""

import hashlib
from collections.abc import Sequence

import msgspec

from app.ingest.grid import LabelSet
from app.ingest.packing import pack_grid, unpack_grid

__all__ = ["hash_content", "pack_classes", "pack_grid", "unpack_grid"]


def pack_classes(label_set: LabelSet) -> bytes:
    """Write the classes of a label set as 32-bit integers, -1 for unknown."""
    return label_set.classes.astype("<i4").tobytes()


def hash_content(blob: bytes, label_sets: Sequence[LabelSet]) -> str:
    """Return the SHA-256 of a packed grid and the label sets that came with it."""
    digest = hashlib.sha256(blob)
    for label_set in label_sets:
        header = msgspec.msgpack.encode([label_set.name, label_set.class_names])
        digest.update(header)
        digest.update(pack_classes(label_set))
    return digest.hexdigest()
