"""What a stored grid is known by: its blob, the classes of its label sets, their hash."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
import numpy as np

from app.grid.grid import LabelSet
from app.grid.packing import pack_grid, unpack_grid
from app.storage.tables import LabelRow

__all__ = [
    "hash_content",
    "make_label_row",
    "pack_classes",
    "pack_grid",
    "read_label_row",
    "unpack_grid",
]


def pack_classes(label_set: LabelSet) -> bytes:
    """Write the classes of a label set as 32-bit integers, -1 for unknown."""
    return label_set.classes.astype("<i4").tobytes()


def make_label_row(graph_id: str, label_set: LabelSet, created_at: datetime) -> LabelRow:
    """Write a label set as a row."""
    return LabelRow(
        graph_id=graph_id,
        name=label_set.name,
        class_names=list(label_set.class_names),
        definition=label_set.definition,
        source=label_set.source,
        version=label_set.version,
        classes=pack_classes(label_set),
        created_at=created_at,
    )


def read_label_row(row: LabelRow) -> LabelSet:
    """Read a label set back from its row."""
    source: Any = row.source
    return LabelSet(
        name=row.name,
        class_names=tuple(row.class_names),
        classes=np.frombuffer(row.classes, "<i4").astype(np.int64),
        definition=row.definition,
        source=source,
        version=row.version,
    )


def hash_content(blob: bytes, label_sets: Sequence[LabelSet]) -> str:
    """Return the SHA-256 of a packed grid and the label sets that came with it."""
    digest = hashlib.sha256(blob)
    for label_set in label_sets:
        header = msgspec.msgpack.encode([label_set.name, label_set.class_names])
        digest.update(header)
        digest.update(pack_classes(label_set))
    return digest.hexdigest()
