"""Hostile files: every one is answered with 4xx, nothing is stored, the service lives on."""

import os
import tempfile
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.app.ingest.hostile_corpus import make_corpus
from tests.app.ingest.requests import SMALL_CASE

pytestmark = pytest.mark.long

CORPUS = list(make_corpus())


@pytest.mark.parametrize(("name", "form", "content"), CORPUS, ids=[name for name, _, _ in CORPUS])
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
