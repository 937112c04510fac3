"""Files made to hurt: every one ends in 4xx, nothing is stored, the process stays the same."""

import io
import os
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic

import pytest
from starlette.testclient import TestClient

from tests.app.ingest.requests import SMALL_CASE


def _mat_bomb() -> bytes:
    """200 bytes of compressed MATLAB data that ask for gigabytes."""
    header = b"MATLAB 5.0 MAT-file".ljust(116) + b"\0" * 8 + b"\x00\x01IM"
    flags = struct.pack("<IIII", 6, 8, 6, 0)
    size = struct.pack("<IIii", 5, 8, 40_000, 40_000)
    name = struct.pack("<II", 1, 3) + b"mpc\0\0\0\0\0"
    data = struct.pack("<II", 9, 0x7FFFFFF0)
    body = flags + size + name + data
    packed = zlib.compress(struct.pack("<II", 14, 0x7FFFFFF0) + body)
    return header + struct.pack("<II", 15, len(packed)) + packed


def _zip_bomb() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.xml", b"0" * 20_000_000)
    return stream.getvalue()


def _corpus() -> Iterator[tuple[str, str | None, bytes]]:
    laughs = "".join(f'<!ENTITY a{n} "&a{n - 1};&a{n - 1};">' for n in range(1, 40))
    yield "nothing", None, b""
    yield "blanks", None, b" \n" * 1000
    yield "noise", None, bytes(range(256)) * 100
    yield "newlines", "matpower", b"mpc.bus = [" + b"\n" * 1_000_000
    yield "a program", "matpower", SMALL_CASE.encode() + b"\nsystem('touch /tmp/owned');\n"
    yield "an endless statement", "matpower", b"x = 1 ...\n" * 100_000
    yield "many statements", "matpower", b"x = 1;\n" * 100_000
    yield "a binary bomb", "matpower", _mat_bomb()
    yield "MATLAB 7.3", None, b"\x89HDF\r\n\x1a\n" + b"\0" * 1000
    yield "half a binary file", None, b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM\x0f\0\0\0"
    yield "laughs", "graphml", f'<!DOCTYPE x [<!ENTITY a0 "ha">{laughs}]><x>&a39;</x>'.encode()
    yield "another file", "graphml", b'<!DOCTYPE x SYSTEM "file:///etc/passwd"><graphml/>'
    yield "deep XML", "graphml", b"<a>" * 100_000
    yield "deep JSON", "json", b"[" * 100_000
    yield "deep net", "pandapower", b'{"_object":' * 50_000
    yield "code in a net", None, b'{"_module":"os","_class":"system","_object":"touch /tmp/owned"}'
    yield "NaN", "json", b'{"buses": [{"id": NaN}], "branches": []}'
    yield "a wide table", "csv", b"source,target," + b"x," * 100_000 + b"\n1,2\n"
    yield "an open quote", "csv", b'source,target\n"' + b"x" * 500_000
    yield "a zip bomb", None, _zip_bomb()
    yield "half a zip", None, _zip_bomb()[:100]
    yield "half a raw file", "psse", b"0, 100.0, 33, 0, 0, 60.0 / x\n\n\n1,'A'"
    yield "half a node", "ucte", b"##C\n##N\n##ZDE\nDA"
    yield "a pickle", None, b"\x80\x04\x95\x0f\0\0\0\0\0\0\0\x8c\x05posix\x94"
    yield "an array file", None, b"\x93NUMPY\x01\x00v\x00{'descr': '|O'}"
    yield "an unknown format", "pickle", b"x"


CORPUS = list(_corpus())


@pytest.mark.parametrize(("name", "form", "content"), CORPUS, ids=[each[0] for each in CORPUS])
def test_a_hostile_file_is_refused_and_leaves_nothing(
    api: TestClient,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    form: str | None,
    content: bytes,
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    before = os.getpid()
    answer = api.post(
        "/graphs", files={"file": ("x", content)}, data={"format": form} if form else {}
    )
    assert 400 <= answer.status_code < 500
    assert answer.headers["content-type"] == "application/problem+json"
    for secret in ("Traceback", "site-packages", "/app/", "Error("):
        assert secret not in answer.text
    assert api.get("/graphs").json()["items"] == []
    assert list(folder.iterdir()) == []
    assert not Path("/tmp/owned").exists()  # noqa: S108 - what the hostile files try to make
    assert os.getpid() == before


def test_health_answers_while_hostile_files_are_read(api: TestClient) -> None:
    slow = [content for name, _, content in CORPUS if name in ("newlines", "many statements")]
    with ThreadPoolExecutor(2) as pool:
        uploads = [
            pool.submit(api.post, "/graphs", files={"file": ("x", content)}) for content in slow
        ]
        waits = []
        while not all(upload.done() for upload in uploads):
            start = monotonic()
            assert api.get("/healthz").status_code == 200
            waits.append(monotonic() - start)
    assert max(waits) < 1.0


@pytest.mark.parametrize(
    ("fields", "files"),
    [
        ({"format": "csv"}, {}),
        ({"format": ["csv", "csv"]}, {"file": b"source,target\n1,2\n"}),
        ({"weight": "heavy"}, {"file": SMALL_CASE.encode()}),
        ({"name": " x"}, {"file": SMALL_CASE.encode()}),
        ({"extra": "1"}, {"file": SMALL_CASE.encode()}),
        ({}, {"file": SMALL_CASE.encode(), "buses": b"id\n1\n"}),
        ({}, {"file": SMALL_CASE.encode(), "other": b"x"}),
        ({"name": "x" * 5000}, {"file": SMALL_CASE.encode()}),
    ],
)
def test_a_form_with_wrong_fields_is_refused(
    api: TestClient, fields: dict[str, str], files: dict[str, bytes]
) -> None:
    sent = {name: (name, content) for name, content in files.items()} or {"buses": ("b", b"x")}
    answer = api.post("/graphs", data=fields, files=sent)
    assert answer.status_code in (400, 422)
    assert answer.headers["content-type"] == "application/problem+json"


def test_the_same_file_again_is_the_same_grid(api: TestClient) -> None:
    first = api.post("/graphs", files={"file": ("a.m", SMALL_CASE)})
    second = api.post("/graphs", files={"file": ("b.txt", SMALL_CASE)})
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json()["id"] == second.json()["id"]
    assert first.json()["report"]["format"] == "matpower"
