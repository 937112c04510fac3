"""A safetensors file from a stranger: its header read with limits, every fault listed."""

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
"""The product of lengths other than 0: beyond it numpy makes no array, not even an empty one."""
_LENGTH_BYTES = 8
_TYPES = {"F32": "<f4", "F64": "<f8", "I32": "<i4"}
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
    """The arrays of a file by name and the texts that came with them."""

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
    """Read a safetensors file; no byte of it is interpreted as anything but numbers and JSON.

    Refused: other types than F32, F64 and I32, arrays that overlap or leave gaps, headers over
    8 MiB, repeated keys, numbers that are not finite.
    Raises: ModelRejected with every fault found.
    """
    header, data = _split(content)
    entries, faults = _read_entries(header)
    faults.extend(_text_faults(header.get(_METADATA, {})))
    if not faults:
        faults.extend(_layout_faults(entries, len(data)))
    tensors = {} if faults else {entry.name: _read_array(entry, data) for entry in entries}
    faults.extend(
        Fault(name, "has a number that is not finite")
        for name, value in tensors.items()
        if not np.isfinite(value).all()
    )
    if faults:
        raise _reject(faults)
    return TensorFile(tensors, header.get(_METADATA, {}))


def _reject(faults: list[Fault]) -> ModelRejected:
    return ModelRejected("The file is not an acceptable model; nothing was stored.", faults)


def _split(content: bytes) -> tuple[dict[str, Any], memoryview]:
    for start, what in _KNOWN_STARTS.items():
        # A header length that begins like this would be far beyond the limit, or is a small one.
        if content.startswith(start) and content[_LENGTH_BYTES : _LENGTH_BYTES + 1] != b"{":
            raise _reject([Fault("file", f"is {what}; only safetensors are taken")])
    if len(content) < _LENGTH_BYTES:
        raise _reject([Fault("file", "is shorter than the length of its header")])
    length = int.from_bytes(content[:_LENGTH_BYTES], "little")
    if length > MOST_HEADER_BYTES:
        raise _reject([Fault("header", f"is said to have {length} bytes, at most 8 MiB are read")])
    end = _LENGTH_BYTES + length
    if end > len(content):
        raise _reject([Fault("header", f"is said to have {length} bytes, the file ends before")])
    return _parse_header(content[_LENGTH_BYTES:end]), memoryview(content)[end:]


def _parse_header(text: bytes) -> dict[str, Any]:
    if not text.startswith(b"{"):
        raise _reject([Fault("header", "does not begin with {")])
    try:
        header = parse_json(text)
    except MalformedBody as error:
        faults = [
            Fault(fault.where.replace("body", "header"), fault.problem) for fault in error.faults
        ]
        raise _reject(faults) from error
    if len(header) > MOST_TENSORS:
        raise _reject([Fault("header", f"names {len(header)} arrays, at most {MOST_TENSORS}")])
    found: dict[str, Any] = header
    return found


def _read_entries(header: Mapping[str, Any]) -> tuple[list[_Entry], list[Fault]]:
    entries: list[_Entry] = []
    faults: list[Fault] = []
    for name, given in header.items():
        if name == _METADATA:
            continue
        wrong = list(_entry_faults(name[:100], given))
        faults.extend(wrong)
        if not wrong:
            start, end = given["data_offsets"]
            entries.append(_Entry(name, given["dtype"], tuple(given["shape"]), start, end))
    return entries, faults


def _entry_faults(name: str, given: Any) -> Iterator[Fault]:
    if not isinstance(given, dict) or set(given) != _MEMBERS:
        yield Fault(name, "must have dtype, shape and data_offsets, nothing else")
        return
    kind = given["dtype"] if isinstance(given["dtype"], str) else ""
    if kind not in _TYPES:
        yield Fault(name, f"is of type {str(given['dtype'])[:20]!r}; known are F32, F64, I32")
    for member in ("shape", "data_offsets"):
        if not _is_lengths(given[member]):
            yield Fault(name, f"{member} must be a short list of whole numbers from 0")
            return
    if math.prod(filter(None, given["shape"])) > _MOST_NUMBERS:
        yield Fault(name, "shape is beyond that of any array")
    elif len(given["data_offsets"]) != 2 or given["data_offsets"][0] > given["data_offsets"][1]:
        yield Fault(name, "data_offsets must be a start and an end")
    elif kind in _TYPES:
        size = math.prod(given["shape"]) * np.dtype(_TYPES[kind]).itemsize
        room = given["data_offsets"][1] - given["data_offsets"][0]
        if size != room:
            yield Fault(name, f"needs {size} bytes for its shape, its offsets span {room}")


def _is_lengths(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) <= _MOST_DIMENSIONS
        and all(isinstance(one, int) and not isinstance(one, bool) and one >= 0 for one in value)
    )


def _layout_faults(entries: list[_Entry], size: int) -> Iterator[Fault]:
    place = 0
    for entry in sorted(entries, key=lambda entry: (entry.start, entry.end)):
        if entry.end > size:
            yield Fault(entry.name, f"ends at byte {entry.end}, the data at byte {size}")
        elif entry.start < place:
            yield Fault(entry.name, "overlaps with another array")
        elif entry.start > place:
            yield Fault(entry.name, f"leaves {entry.start - place} bytes unused before it")
        place = max(place, entry.end)
    if place < size:
        yield Fault("file", f"has {size - place} bytes that belong to no array")


def _text_faults(texts: Any) -> Iterator[Fault]:
    if not isinstance(texts, dict):
        yield Fault(_METADATA, "must be an object of texts")
        return
    for name, value in texts.items():
        if not isinstance(value, str):
            yield Fault(f"{_METADATA}.{name[:40]}", "must be a text")


def _read_array(entry: _Entry, data: memoryview) -> npt.NDArray[Any]:
    values = np.frombuffer(data[entry.start : entry.end], _TYPES[entry.kind])
    return values.reshape(entry.shape)
