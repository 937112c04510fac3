"""Static files: compressed, revalidated, and only those on the list."""

import gzip
import re
from importlib.metadata import version
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from app.web.assets import STATIC_FOLDER, asset_url, find_assets

_OWN = sorted(path for path in STATIC_FOLDER.rglob("*") if path.is_file())
_PLOTLY = f"/{asset_url('vendor/plotly.min.js')}"


def test_plotly_comes_from_the_installed_package(client: TestClient) -> None:
    source = find_assets()["vendor/plotly.min.js"]
    assert client.get(_PLOTLY).content == source.read_bytes()
    assert _PLOTLY.endswith(f"?v={version('plotly')}")


def test_a_large_file_is_sent_compressed(client: TestClient) -> None:
    with client.stream("GET", _PLOTLY, headers={"Accept-Encoding": "gzip"}) as answer:
        raw = b"".join(answer.iter_raw())
        assert answer.headers["content-encoding"] == "gzip"
        assert answer.headers["vary"] == "Accept-Encoding"
    whole = find_assets()["vendor/plotly.min.js"].read_bytes()
    assert gzip.decompress(raw) == whole
    assert len(raw) < len(whole) / 2


def test_a_client_without_gzip_gets_the_plain_file(client: TestClient) -> None:
    answer = client.get("/static/page/main.js", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in answer.headers
    assert answer.content == (STATIC_FOLDER / "page/main.js").read_bytes()


def test_a_cached_file_is_not_sent_again(client: TestClient) -> None:
    etag = client.get("/static/theme.css").headers["etag"]
    answer = client.get("/static/theme.css", headers={"If-None-Match": f'"other", {etag}'})
    assert answer.status_code == 304
    assert answer.content == b""
    assert answer.headers["etag"] == etag


def test_a_changed_file_is_sent_again(client: TestClient) -> None:
    answer = client.get("/static/theme.css", headers={"If-None-Match": '"older"'})
    assert answer.status_code == 200


def test_our_files_are_revalidated_and_versioned_files_are_immutable(client: TestClient) -> None:
    assert client.get("/static/page/main.js").headers["cache-control"] == "no-cache"
    assert "immutable" in client.get(_PLOTLY).headers["cache-control"]


def test_head_responds_like_get_without_a_body(client: TestClient) -> None:
    answer = client.head("/static/favicon.svg")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.content == b""


@pytest.mark.parametrize(
    "name",
    ["absent.js", "../pages.py", "%2e%2e/pages.py", "..%2f..%2fsettings.py", "/etc/passwd", ""],
)
def test_nothing_outside_the_list_is_served(client: TestClient, name: str) -> None:
    answer = client.get(f"/static/{name}")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("path", _OWN, ids=lambda path: path.name)
def test_our_files_refer_to_no_other_host(path: Path) -> None:
    text = path.read_text().replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?://|[\"'(]//", text)


@pytest.mark.parametrize(
    "path", [path for path in _OWN if path.suffix == ".js"], ids=lambda path: path.name
)
def test_a_module_is_small_and_creates_no_markup_from_text(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) < 300
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", text)
