"""The pages over HTTP, without a browser."""

import re

import pytest
from fastapi.testclient import TestClient

from app.labels.catalogue import list_kinds
from ml import make_config

_PAGES = ["/", "/docs"]


@pytest.mark.parametrize("path", _PAGES)
def test_a_page_is_html_and_revalidated(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("path", _PAGES)
def test_a_page_has_no_inline_script_style_or_handler(client: TestClient, path: str) -> None:
    html = client.get(path).text
    assert re.findall(r"<script[^>]*>", html)
    assert not re.search(r"<script[^>]*>\s*[^<\s]", html)
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", html)


@pytest.mark.parametrize("path", _PAGES)
def test_every_file_of_a_page_exists(client: TestClient, path: str) -> None:
    addresses = re.findall(r'(?:src|href)="(static/[^"]+)"', client.get(path).text)
    assert addresses
    assert {client.get(f"/{address}").status_code for address in addresses} == {200}


@pytest.mark.parametrize("path", _PAGES)
def test_the_policy_allows_this_server_only_and_no_eval(client: TestClient, path: str) -> None:
    policy = client.get(path).headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy


def test_only_the_view_of_large_grids_may_compile_webgl_programs(client: TestClient) -> None:
    policy = client.get("/", params={"view": "large"}).headers["content-security-policy"]
    assert "script-src 'self' 'unsafe-eval';" in policy
    assert "unsafe-inline" not in policy


def test_an_unknown_view_is_rejected(client: TestClient) -> None:
    assert client.get("/", params={"view": "wide"}).status_code == 422


def test_the_form_contains_the_default_settings(client: TestClient) -> None:
    html = client.get("/").text
    config = make_config()
    for name in ("alpha", "sigma", "gamma", "epochs", "seed"):
        field = re.search(rf'<input name="{name}"[^>]*>', html)
        assert field is not None
        assert f'value="{getattr(config, name)}"' in field[0]


def test_the_page_offers_every_kind_that_is_computed_at_once(client: TestClient) -> None:
    page = client.get("/").text
    assert {"feeder", "voltage_level", "operator"} < set(list_kinds())
    assert all(f"<option>{kind}</option>" in page for kind in list_kinds())


def test_pages_are_not_part_of_the_api(client: TestClient) -> None:
    assert client.get("/openapi.json").json()["paths"] == {}
