"""Files that are no model, or lie about one: refused with every fault, nothing stored."""

import io
import json
import struct
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from tests.app.models.hostile_files import Envelope, Tensors, refuse, rewritten, setting

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
    (b"", "file", "shorter than"),
    (b"\0" * 7, "file", "shorter than"),
    (PICKLE, "file", "a pickle"),
    (zipped(), "file", "a zip archive"),
    (b"\x93NUMPY\x01\x00v\x00{'descr': '|O'", "file", "NumPy"),
    (with_header(b"{}", length=2**63), "header", "at most 8 MiB"),
    (with_header(b"{}", length=2**64 - 1), "header", "at most 8 MiB"),
    (with_header(b"{}", length=100), "header", "the file ends before"),
    (with_header(b" {}"), "header", "does not begin with {"),
    (with_header(b"[]"), "header", "does not begin with {"),
    (with_header(b"{"), "header", "is not JSON"),
    (with_header(b'{"a": NaN}'), "header", "NaN is not JSON"),
    (with_header(b'{"a": {}, "a": {}}'), "header", "more than once"),
    (with_header(b'{"a":' * 100_000), "header", "nested"),
    (with_header(b"{}", b"data"), "file", "4 bytes that belong to no array"),
    (with_header(b"{}"), "__metadata__", "has no entry 'levygrid'"),
    (with_header(b'{"__metadata__": {"levygrid": 1}}'), "__metadata__.levygrid", "a text"),
    (with_header(b'{"__metadata__": 1}'), "__metadata__", "an object of texts"),
    (with_header(b'{"__metadata__": {"levygrid": "{"}}'), "levygrid", "is not JSON"),
    (with_header(b'{"__metadata__": {"levygrid": "{}"}}'), "manifest", "required"),
]


@pytest.mark.parametrize(("content", "where", "words"), BARE, ids=[words for *_, words in BARE])
def test_bytes_that_are_no_model_are_refused(
    api: TestClient, content: bytes, where: str, words: str
) -> None:
    assert words in refuse(api, content)[where]


ENTRIES = [
    ({"a": entry("BOOL", [1], 0, 1)}, 1, "a", "type 'BOOL'"),
    ({"a": entry("F32", [1], 0, 8)}, 8, "a", "needs 4 bytes for its shape, its offsets span 8"),
    ({"a": entry([], [1], 0, 4)}, 4, "a", "type '[]'"),
    ({"a": entry({"F32": 1}, [1], 0, 4)}, 4, "a", "known are F32"),
    ({"a": entry("F32", [2**50], 0, 4)}, 4, "a", "its offsets span 4"),
    ({"a": entry("F32", [2**50, 2**50], 0, 4)}, 4, "a", "beyond that of any array"),
    ({"a": entry("F32", [0, 2**53, 2**53], 0, 0)}, 0, "a", "beyond that of any array"),
    ({"a": entry("F32", [-1], 0, 4)}, 4, "a", "shape must be"),
    ({"a": entry("F32", [True], 0, 4)}, 4, "a", "shape must be"),
    ({"a": entry("F32", [1] * 9, 0, 4)}, 4, "a", "shape must be"),
    ({"a": entry("F32", [1], 4, 0)}, 4, "a", "a start and an end"),
    ({"a": entry("F32", [1], 0.0, 4)}, 4, "a", "data_offsets must be"),
    ({"a": entry("F32", [1], 0, 4) | {"x": 1}}, 4, "a", "nothing else"),
    ({"a": 1}, 0, "a", "nothing else"),
    ({"a": entry("F32", [1], 4, 8)}, 4, "a", "ends at byte 8, the data at byte 4"),
    ({"a": entry("F32", [1], 4, 8)}, 8, "a", "leaves 4 bytes unused"),
    (
        {"a": entry("F32", [2], 0, 8), "b": entry("F32", [2], 4, 12)},
        12,
        "b",
        "overlaps with another array",
    ),
    ({"a": entry("F32", [1], 0, 4)}, 8, "file", "4 bytes that belong to no array"),
]


@pytest.mark.parametrize(("header", "size", "where", "words"), ENTRIES)
def test_headers_that_lie_about_the_data_are_refused(
    api: TestClient, header: dict[str, Any], size: int, where: str, words: str
) -> None:
    content = with_header(json.dumps(header).encode(), b"\0" * size)
    assert words in refuse(api, content)[where]


def test_every_array_at_fault_is_listed(api: TestClient) -> None:
    header = {name: entry("F16", [1], 0, 2) for name in ("a", "b", "c")}
    assert set(refuse(api, with_header(json.dumps(header).encode(), b"\0\0"))) == {"a", "b", "c"}


@pytest.mark.parametrize("cut", [1, 100, 2000])
def test_a_truncated_model_is_refused(api: TestClient, lfgcn: bytes, cut: int) -> None:
    assert refuse(api, lfgcn[:-cut])


def nan(tensors: Tensors, _: Envelope) -> None:
    tensors["layers.0.bias"][0, 0, 0] = np.nan


def more(tensors: Tensors, _: Envelope) -> None:
    tensors["backdoor"] = np.zeros(3, np.float32)


def fewer(tensors: Tensors, _: Envelope) -> None:
    del tensors["layers.1.kernel"]


def wider(tensors: Tensors, _: Envelope) -> None:
    tensors["layers.0.bias"] = np.zeros((2, 1, 5), np.float32)


def double(tensors: Tensors, _: Envelope) -> None:
    tensors["layers.0.bias"] = tensors["layers.0.bias"].astype(np.float64)


def flat(tensors: Tensors, _: Envelope) -> None:
    tensors["predictions"] = tensors["predictions"].ravel()


def no_share(tensors: Tensors, _: Envelope) -> None:
    tensors["predictions"][:] = 0.9


def other_answers(tensors: Tensors, _: Envelope) -> None:
    tensors["predictions"] = tensors["predictions"][:, ::-1].copy()


def member(name: str, value: Any) -> Callable[[Tensors, Envelope], None]:
    def change(_: Tensors, envelope: Envelope) -> None:
        envelope["manifest"][name] = value

    return change


def scaled_by_nothing(_: Tensors, envelope: Envelope) -> None:
    envelope["manifest"]["scaling"]["scale"] = [0.0]


def other_label(_: Tensors, envelope: Envelope) -> None:
    envelope["label"] = "owner"


def out_of_the_grid(_: Tensors, envelope: Envelope) -> None:
    envelope["manifest"]["split"]["test"].append(99)


LIES = [
    (nan, "layers.0.bias", "not finite"),
    (more, "backdoor", "is not an array of such a model"),
    (fewer, "layers.1.kernel", "is missing"),
    (wider, "layers.0.bias", "has shape (2, 1, 5), expected (2, 1, 4)"),
    (double, "layers.0.bias", "is float64, expected float32"),
    (flat, "predictions", "expected float32 (12, 3)"),
    (no_share, "predictions", "not a distribution"),
    (other_answers, "predictions", "are not what the arrays give"),
    (setting("alpha", 7), "manifest.config.alpha", "outside"),
    (setting("unheard_of", 7), "manifest.config.unheard_of", "is not a setting"),
    (setting("width", 8), "layers.0.bias", "expected (2, 1, 8)"),
    (setting("method", "os.system"), "manifest.config.method", "is not one of"),
    (member("unheard_of", 7), "manifest.unheard_of", "not permitted"),
    (member("format", "pickle"), "manifest.format", "levygrid-model-1"),
    (member("graph_hash", "0" * 64), "manifest.graph_hash", "here it is"),
    (member("label_hash", "0" * 64), "manifest.label_hash", "here it is"),
    (member("class_names", ["a", "b", "c"]), "manifest.class_names", "the labels have"),
    (member("feature_names", ["kV"]), "manifest.features", "no column 'kV'"),
    (scaled_by_nothing, "manifest.scaling.scale", "has a zero"),
    (other_label, "label", "no labels 'owner'"),
    (out_of_the_grid, "manifest.split", "a bus that the grid does not have"),
]


@pytest.mark.parametrize(
    ("change", "where", "words"), LIES, ids=[f"{where}: {words}" for _, where, words in LIES]
)
def test_a_model_that_is_not_what_it_says_is_refused(
    api: TestClient,
    lfgcn: bytes,
    change: Callable[[Tensors, Envelope], None],
    where: str,
    words: str,
) -> None:
    assert words in refuse(api, rewritten(lfgcn, change))[where]


def test_arrays_of_another_hash_are_refused(api: TestClient, lfgcn: bytes) -> None:
    def shift(tensors: Tensors, _: Envelope) -> None:
        tensors["layers.0.bias"] += 1e-6

    found = refuse(api, rewritten(lfgcn, shift, reseal=False))
    assert set(found) == {"manifest.sha256"}


def test_faults_of_several_parts_are_listed_together(api: TestClient, lfgcn: bytes) -> None:
    def spoil(tensors: Tensors, envelope: Envelope) -> None:
        more(tensors, envelope)
        double(tensors, envelope)
        no_share(tensors, envelope)
        envelope["grid"]["content_hash"] = "0" * 64

    found = refuse(api, rewritten(lfgcn, spoil))
    assert set(found) == {"grid.content_hash", "backdoor", "layers.0.bias", "predictions"}
