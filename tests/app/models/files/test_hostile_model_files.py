"""Invalid and manipulated model files: rejected with every fault, nothing stored."""

import io
import json
import struct
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from tests.app.models.files.hostile_files import Envelope, Tensors, refuse, rewritten, setting

pytestmark = pytest.mark.long


def with_header(header: bytes, data: bytes = b"", length: int | None = None) -> bytes:
    return struct.pack("<Q", len(header) if length is None else length) + header + data


def entry(dtype: Any, shape: Any, start: Any, end: Any) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}


def zipped() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("data.pkl", b"\x80\x04.")
    return buffer.getvalue()


PICKLE = b"\x80\x04\x95\x1a\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x8c\x06system\x93."
BARE = [
    (b"", "file", "too short"),
    (b"\0" * 7, "file", "too short"),
    (PICKLE, "file", "a pickle"),
    (zipped(), "file", "a zip archive"),
    (b"\x93NUMPY\x01\x00v\x00{'descr': '|O'", "file", "NumPy"),
    (with_header(b"{}", length=2**63), "header", "at most 8 MiB"),
    (with_header(b"{}", length=2**64 - 1), "header", "at most 8 MiB"),
    (with_header(b"{}", length=100), "header", "the file is shorter"),
    (with_header(b" {}"), "header", "does not start with {"),
    (with_header(b"[]"), "header", "does not start with {"),
    (with_header(b"{"), "header", "is not JSON"),
    (with_header(b'{"a": NaN}'), "header", "NaN is not JSON"),
    (with_header(b'{"a": {}, "a": {}}'), "header", "more than once"),
    (with_header(b'{"a":' * 100_000), "header", "nested"),
    (with_header(b"{}", b"data"), "file", "4 bytes that belong to no array"),
    (with_header(b"{}"), "__metadata__", "has no entry 'levygrid'"),
    (with_header(b'{"__metadata__": {"levygrid": 1}}'), "__metadata__.levygrid", "a string"),
    (with_header(b'{"__metadata__": 1}'), "__metadata__", "an object of strings"),
    (with_header(b'{"__metadata__": {"levygrid": "{"}}'), "levygrid", "is not JSON"),
    (with_header(b'{"__metadata__": {"levygrid": "{}"}}'), "manifest", "required"),
]


@pytest.mark.parametrize(("content", "where", "words"), BARE, ids=[words for *_, words in BARE])
def test_bytes_that_are_not_a_model_file_are_rejected(
    api: TestClient, content: bytes, where: str, words: str
) -> None:
    assert words in refuse(api, content)[where]


ENTRIES = [
    ({"a": entry("BOOL", [1], 0, 1)}, 1, "a", "type 'BOOL'"),
    (
        {"a": entry("F32", [1], 0, 8)},
        8,
        "a",
        "needs 4 bytes for its shape, but data_offsets span 8",
    ),
    ({"a": entry([], [1], 0, 4)}, 4, "a", "type '[]'"),
    ({"a": entry({"F32": 1}, [1], 0, 4)}, 4, "a", "allowed are F32"),
    ({"a": entry("F32", [2**50], 0, 4)}, 4, "a", "data_offsets span 4"),
    ({"a": entry("F32", [2**50, 2**50], 0, 4)}, 4, "a", "too large for an array"),
    ({"a": entry("F32", [0, 2**53, 2**53], 0, 0)}, 0, "a", "too large for an array"),
    ({"a": entry("F32", [-1], 0, 4)}, 4, "a", "shape must be"),
    ({"a": entry("F32", [True], 0, 4)}, 4, "a", "shape must be"),
    ({"a": entry("F32", [1] * 9, 0, 4)}, 4, "a", "shape must be"),
    ({"a": entry("F32", [1], 4, 0)}, 4, "a", "must be [start, end]"),
    ({"a": entry("F32", [1], 0.0, 4)}, 4, "a", "data_offsets must be"),
    ({"a": entry("F32", [1], 0, 4) | {"x": 1}}, 4, "a", "must have exactly"),
    ({"a": 1}, 0, "a", "must have exactly"),
    ({"a": entry("F32", [1], 4, 8)}, 4, "a", "ends at byte 8, but the data ends at byte 4"),
    ({"a": entry("F32", [1], 4, 8)}, 8, "a", "preceded by 4 unused bytes"),
    (
        {"a": entry("F32", [2], 0, 8), "b": entry("F32", [2], 4, 12)},
        12,
        "b",
        "overlaps another array",
    ),
    ({"a": entry("F32", [1], 0, 4)}, 8, "file", "4 bytes that belong to no array"),
]


@pytest.mark.parametrize(("header", "size", "where", "words"), ENTRIES)
def test_headers_that_do_not_match_the_data_are_rejected(
    api: TestClient, header: dict[str, Any], size: int, where: str, words: str
) -> None:
    content = with_header(json.dumps(header).encode(), b"\0" * size)
    assert words in refuse(api, content)[where]


def test_every_invalid_array_is_reported(api: TestClient) -> None:
    header = {name: entry("F16", [1], 0, 2) for name in ("a", "b", "c")}
    assert set(refuse(api, with_header(json.dumps(header).encode(), b"\0\0"))) == {"a", "b", "c"}


@pytest.mark.parametrize("cut", [1, 100, 2000])
def test_a_truncated_file_is_rejected(api: TestClient, lfgcn: bytes, cut: int) -> None:
    assert refuse(api, lfgcn[:-cut])


def set_nan(tensors: Tensors, _: Envelope) -> None:
    tensors["layers.0.bias"][0, 0, 0] = np.nan


def add_array(tensors: Tensors, _: Envelope) -> None:
    tensors["backdoor"] = np.zeros(3, np.float32)


def remove_array(tensors: Tensors, _: Envelope) -> None:
    del tensors["layers.1.kernel"]


def widen_array(tensors: Tensors, _: Envelope) -> None:
    tensors["layers.0.bias"] = np.zeros((2, 1, 5), np.float32)


def change_type(tensors: Tensors, _: Envelope) -> None:
    tensors["layers.0.bias"] = tensors["layers.0.bias"].astype(np.float64)


def flatten_predictions(tensors: Tensors, _: Envelope) -> None:
    tensors["predictions"] = tensors["predictions"].ravel()


def break_distribution(tensors: Tensors, _: Envelope) -> None:
    tensors["predictions"][:] = 0.9


def swap_predictions(tensors: Tensors, _: Envelope) -> None:
    tensors["predictions"] = tensors["predictions"][:, ::-1].copy()


def manifest_entry(name: str, value: Any) -> Callable[[Tensors, Envelope], None]:
    def change(_: Tensors, envelope: Envelope) -> None:
        envelope["manifest"][name] = value

    return change


def set_zero_scale(_: Tensors, envelope: Envelope) -> None:
    envelope["manifest"]["scaling"]["scale"] = [0.0]


def change_label(_: Tensors, envelope: Envelope) -> None:
    envelope["label"] = "owner"


def add_unknown_bus(_: Tensors, envelope: Envelope) -> None:
    envelope["manifest"]["split"]["test"].append(99)


CHANGES = [
    (set_nan, "layers.0.bias", "not finite"),
    (add_array, "backdoor", "is not an array of such a model"),
    (remove_array, "layers.1.kernel", "is missing"),
    (widen_array, "layers.0.bias", "has shape (2, 1, 5), expected (2, 1, 4)"),
    (change_type, "layers.0.bias", "is float64, expected float32"),
    (flatten_predictions, "predictions", "expected float32 (12, 3)"),
    (break_distribution, "predictions", "not a distribution"),
    (swap_predictions, "predictions", "from those computed from the arrays"),
    (setting("alpha", 7), "manifest.config.alpha", "outside"),
    (setting("unknown_name", 7), "manifest.config.unknown_name", "is not a setting"),
    (setting("width", 8), "layers.0.bias", "expected (2, 1, 8)"),
    (setting("method", "os.system"), "manifest.config.method", "is not one of"),
    (manifest_entry("unknown_name", 7), "manifest.unknown_name", "not permitted"),
    (manifest_entry("format", "pickle"), "manifest.format", "levygrid-model-1"),
    (manifest_entry("graph_hash", "0" * 64), "manifest.graph_hash", "in the file, but"),
    (manifest_entry("label_hash", "0" * 64), "manifest.label_hash", "in the file, but"),
    (
        manifest_entry("class_names", ["a", "b", "c"]),
        "manifest.class_names",
        "classes of the stored labels",
    ),
    (manifest_entry("feature_names", ["kV"]), "manifest.features", "no column 'kV'"),
    (set_zero_scale, "manifest.scaling.scale", "has a zero"),
    (change_label, "label", "no label set 'owner'"),
    (add_unknown_bus, "manifest.split", "beyond the last bus"),
]


@pytest.mark.parametrize(
    ("change", "where", "words"), CHANGES, ids=[f"{where}: {words}" for _, where, words in CHANGES]
)
def test_a_manipulated_file_is_rejected(
    api: TestClient,
    lfgcn: bytes,
    change: Callable[[Tensors, Envelope], None],
    where: str,
    words: str,
) -> None:
    assert words in refuse(api, rewritten(lfgcn, change))[where]


def test_arrays_that_do_not_match_their_hash_are_rejected(api: TestClient, lfgcn: bytes) -> None:
    def shift(tensors: Tensors, _: Envelope) -> None:
        tensors["layers.0.bias"] += 1e-6

    faults = refuse(api, rewritten(lfgcn, shift, reseal=False))
    assert set(faults) == {"manifest.sha256"}


def test_faults_of_all_parts_are_reported_together(api: TestClient, lfgcn: bytes) -> None:
    def spoil(tensors: Tensors, envelope: Envelope) -> None:
        add_array(tensors, envelope)
        change_type(tensors, envelope)
        break_distribution(tensors, envelope)
        envelope["grid"]["content_hash"] = "0" * 64

    faults = refuse(api, rewritten(lfgcn, spoil))
    assert set(faults) == {"grid.content_hash", "backdoor", "layers.0.bias", "predictions"}
