"""Reads safetensors files from untrusted sources: bounded header, every fault reported."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from app.errors import MalformedBody, ModelRejected
from app.http.strict_json import parse_json
from ml.errors import Fault

MOST_HEADER_BYTES = 8 * 2**20
MOST_TENSORS = 2000
_MOST_DIMENSIONS = 8
_MOST_NUMBERS = 2**53
"""Limit for the product of the non-zero lengths: numpy rejects larger shapes, even empty ones."""
_LENGTH_BYTES = 8
_TYPES = {"F32": "<f4", "F64": "<f8", "I32": "<i4", "I64": "<i8"}
_METADATA = "__metadata__"
_MEMBERS = {"dtype", "shape", "data_offsets"}
_KNOWN_STARTS = {
    b"PK\x03\x04": "a zip archive, as torch.save writes it",
    b"\x80": "a pickle",
    b"\x1f\x8b": "a gzip archive",
    b"\x93NUMPY": "a NumPy file, which may hold a pickle",
}


@dataclass(frozen=True, eq=False)
class TensorFile:
    """The arrays of a file by name, and its metadata texts."""

    tensors: dict[str, npt.NDArray[Any]]
    texts: dict[str, str]


@dataclass(frozen=True)
class _Entry:
    name: str
    kind: str
    shape: tuple[int, ...]
    start: int
    end: int


def read_tensor_file(content: bytes) -> TensorFile:
    """Read a safetensors file; its bytes are only interpreted as numbers and JSON.

    Rejected: types other than F32, F64, I32 and I64, overlapping arrays, gaps between arrays,
    headers over 8 MiB, repeated keys, numbers that are not finite.
    Raises: ModelRejected with every fault.
    """
    header, data = _split(content)
    entries, faults = _read_entries(header)
    faults.extend(_text_faults(header.get(_METADATA, {})))
    if not faults:
        faults.extend(_layout_faults(entries, len(data)))
    tensors = {} if faults else {entry.name: _read_array(entry, data) for entry in entries}
    faults.extend(
        Fault(name, "contains a number that is not finite")
        for name, value in tensors.items()
        if not np.isfinite(value).all()
    )
    if faults:
        raise _reject(faults)
    return TensorFile(tensors, header.get(_METADATA, {}))


def _reject(faults: list[Fault]) -> ModelRejected:
    return ModelRejected("The file is not a valid model file; nothing was stored.", faults)


def _split(content: bytes) -> tuple[dict[str, Any], memoryview]:
    for start, what in _KNOWN_STARTS.items():
        # As the length of a header these bytes exceed the limit, unless a "{" follows them.
        if content.startswith(start) and content[_LENGTH_BYTES : _LENGTH_BYTES + 1] != b"{":
            raise _reject([Fault("file", f"is {what}; only safetensors files are accepted")])
    if len(content) < _LENGTH_BYTES:
        raise _reject([Fault("file", "is too short: the length of the header is missing")])
    length = int.from_bytes(content[:_LENGTH_BYTES], "little")
    if length > MOST_HEADER_BYTES:
        raise _reject([Fault("header", f"has {length} bytes; at most 8 MiB are allowed")])
    end = _LENGTH_BYTES + length
    if end > len(content):
        raise _reject([Fault("header", f"should have {length} bytes, but the file is shorter")])
    return _parse_header(content[_LENGTH_BYTES:end]), memoryview(content)[end:]


def _parse_header(text: bytes) -> dict[str, Any]:
    if not text.startswith(b"{"):
        raise _reject([Fault("header", "does not start with {")])
    try:
        header = parse_json(text)
    except MalformedBody as error:
        faults = [
            Fault(fault.where.replace("body", "header"), fault.problem) for fault in error.faults
        ]
        raise _reject(faults) from error
    if len(header) > MOST_TENSORS:
        raise _reject(
            [Fault("header", f"lists {len(header)} arrays; at most {MOST_TENSORS} are allowed")]
        )
    entries: dict[str, Any] = header
    return entries


def _read_entries(header: Mapping[str, Any]) -> tuple[list[_Entry], list[Fault]]:
    entries: list[_Entry] = []
    faults: list[Fault] = []
    for name, given in header.items():
        if name == _METADATA:
            continue
        entry_faults = list(_entry_faults(name[:100], given))
        faults.extend(entry_faults)
        if not entry_faults:
            start, end = given["data_offsets"]
            entries.append(_Entry(name, given["dtype"], tuple(given["shape"]), start, end))
    return entries, faults


def _entry_faults(name: str, given: Any) -> Iterator[Fault]:
    if not isinstance(given, dict) or set(given) != _MEMBERS:
        yield Fault(name, "must have exactly dtype, shape and data_offsets")
        return
    kind = given["dtype"] if isinstance(given["dtype"], str) else ""
    if kind not in _TYPES:
        yield Fault(name, f"has type {str(given['dtype'])[:20]!r}; allowed are F32, F64, I32, I64")
    for member in ("shape", "data_offsets"):
        if not _is_lengths(given[member]):
            yield Fault(name, f"{member} must be a list of at most 8 non-negative integers")
            return
    if math.prod(filter(None, given["shape"])) > _MOST_NUMBERS:
        yield Fault(name, "shape is too large for an array")
    elif len(given["data_offsets"]) != 2 or given["data_offsets"][0] > given["data_offsets"][1]:
        yield Fault(name, "data_offsets must be [start, end] with start <= end")
    elif kind in _TYPES:
        size = math.prod(given["shape"]) * np.dtype(_TYPES[kind]).itemsize
        span = given["data_offsets"][1] - given["data_offsets"][0]
        if size != span:
            yield Fault(name, f"needs {size} bytes for its shape, but data_offsets span {span}")


def _is_lengths(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) <= _MOST_DIMENSIONS
        and all(
            isinstance(item, int) and not isinstance(item, bool) and item >= 0 for item in value
        )
    )


def _layout_faults(entries: list[_Entry], size: int) -> Iterator[Fault]:
    place = 0
    for entry in sorted(entries, key=lambda entry: (entry.start, entry.end)):
        if entry.end > size:
            yield Fault(entry.name, f"ends at byte {entry.end}, but the data ends at byte {size}")
        elif entry.start < place:
            yield Fault(entry.name, "overlaps another array")
        elif entry.start > place:
            yield Fault(entry.name, f"is preceded by {entry.start - place} unused bytes")
        place = max(place, entry.end)
    if place < size:
        yield Fault("file", f"has {size - place} bytes that belong to no array")


def _text_faults(texts: Any) -> Iterator[Fault]:
    if not isinstance(texts, dict):
        yield Fault(_METADATA, "must be an object of strings")
        return
    for name, value in texts.items():
        if not isinstance(value, str):
            yield Fault(f"{_METADATA}.{name[:40]}", "must be a string")


def _read_array(entry: _Entry, data: memoryview) -> npt.NDArray[Any]:
    values = np.frombuffer(data[entry.start : entry.end], _TYPES[entry.kind])
    return values.reshape(entry.shape)
