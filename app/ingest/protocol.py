"""Request to a reader process and its answer: plain data, checked when decoded."""

from typing import Any

import msgspec
import numpy as np

from app.errors import GridRejected, MalformedBody, Rejected
from app.grid.grid import Grid, LabelSet, Substations, TextColumn
from app.grid.packing import pack_classes, pack_grid, unpack_classes, unpack_grid
from app.grid.report import ImportReport, ReadGrid
from app.grid.text_rules import find_text_problem
from ml.errors import Fault

MAX_FAULTS = 200
_MAX_TEXT = 300


class ReadOptions(msgspec.Struct, array_like=True, frozen=True):
    """Choices of the client for one file or built-in case; None stands for the default."""

    weight: str | None = None
    check: str | None = None
    columns: str | None = None
    name: str | None = None
    coordinates: str | None = None


class ReadLimits(msgspec.Struct, array_like=True, frozen=True):
    """Upper bounds for one reading: size of the grid, and resources of the reader process."""

    buses: int = 200_000
    branches: int = 1_000_000
    memory_bytes: int = 2 * 2**30
    seconds: float = 60.0
    answer_bytes: int = 512 * 2**20


class Request(msgspec.Struct, array_like=True):
    """One file (or two, for CSV), the name of its reader, options and limits."""

    reader: str
    files: dict[str, bytes]
    options: ReadOptions = ReadOptions()
    limits: ReadLimits = ReadLimits()


class _Labels(msgspec.Struct, array_like=True):
    name: str
    class_names: tuple[str, ...]
    classes: bytes
    definition: str


class _Answer(msgspec.Struct, array_like=True):
    message: str
    faults: list[tuple[str, str]] = []
    grid: bytes = b""
    labels: list[_Labels] = []
    report: ImportReport | None = None
    malformed: bool = False


def encode_grid(read: ReadGrid) -> bytes:
    """Write the answer of a reader that has read its file."""
    labels = [
        _Labels(one.name, one.class_names, pack_classes(one), one.definition)
        for one in read.label_sets
    ]
    answer = _Answer("", grid=pack_grid(read.grid), labels=labels, report=read.report)
    return msgspec.msgpack.encode(answer)


def encode_rejection(error: Rejected) -> bytes:
    """Write the answer of a reader that rejects its file: the first 200 faults."""
    faults = [(_shorten(fault.where), _shorten(fault.problem)) for fault in error.faults]
    malformed = isinstance(error, MalformedBody)
    answer = _Answer(_shorten(str(error)), faults[:MAX_FAULTS], malformed=malformed)
    return msgspec.msgpack.encode(answer)


def decode_answer(answer: bytes) -> ReadGrid:
    """Read an answer; it is checked, because the reader has handled a stranger's bytes.

    Raises: GridRejected or MalformedBody with the faults of the file; ValueError or
        msgspec.MsgspecError if the answer itself is not sound.
    """
    read = msgspec.msgpack.decode(answer, type=_Answer)
    if read.message:
        kind = MalformedBody if read.malformed else GridRejected
        raise kind(read.message, (Fault(*pair) for pair in read.faults))
    grid = unpack_grid(read.grid, keep_blob=True)
    if not _is_sound(grid) or read.report is None:
        raise ValueError("grid")
    label_sets = tuple(_read_labels(labels, grid.bus_count) for labels in read.labels)
    return ReadGrid(grid, label_sets, read.report)


def _is_sound(grid: Grid) -> bool:
    """Check the invariants of a grid: a reader taken over by its file may break them."""
    return (
        len(set(grid.bus_ids)) == grid.bus_count > 0
        and all(len(names) == grid.bus_count for names in grid.aliases.values())
        and _within(grid.ends.ravel(), 0, grid.bus_count)
        and len(grid.weights) == len(grid.kinds) == grid.branch_count
        and _within(grid.kinds, 0, len(grid.kind_names))
        and bool(np.all(np.isfinite(grid.weights) & (grid.weights > 0)))
        and bool(np.isfinite(grid.features).all())
        and _are_sound(grid.substations)
        and all(_is_sound_text(column) for column in grid.text_columns.values())
    )


def _is_sound_text(column: TextColumn) -> bool:
    return _within(column.codes, -1, len(column.values)) and not any(
        find_text_problem(value) for value in column.values
    )


def _are_sound(substations: Substations | None) -> bool:
    if substations is None:
        return True
    numbers = np.unique(substations.groups)
    return (
        substations.is_given
        and np.array_equal(numbers, np.arange(len(numbers)))
        and len(substations.names) in (0, len(numbers))
    )


def _read_labels(labels: _Labels, bus_count: int) -> LabelSet:
    classes = unpack_classes(labels.classes)
    if len(classes) != bus_count or not _within(classes, -1, len(labels.class_names)):
        raise ValueError("labels")
    return LabelSet(labels.name, labels.class_names, classes, labels.definition)


def _within(values: np.ndarray[Any, Any], low: int, end: int) -> bool:
    return not len(values) or bool(values.min() >= low and values.max() < end)


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]}..."
