from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from app.settings import Settings
from tests.app.conftest import MakeApi

JSON = {"Content-Type": "application/json"}


def test_a_request_without_an_id_gets_one(api: TestClient) -> None:
    first, second = (api.get("/healthz").headers["x-request-id"] for _ in range(2))
    assert len(first) == 32
    assert first != second


def test_a_request_keeps_the_id_of_its_header(api: TestClient) -> None:
    answer = api.get("/graphs/none", headers={"X-Request-ID": "trace-1.a_B"})
    assert answer.headers["x-request-id"] == "trace-1.a_B"
    assert answer.json()["request_id"] == "trace-1.a_B"


@pytest.mark.parametrize("wrong", ["", "a b", "x" * 65, 'x"; drop', "\u00e9"])
def test_a_request_id_that_could_corrupt_the_log_is_replaced(api: TestClient, wrong: str) -> None:
    answer = api.get("/healthz", headers=[(b"X-Request-ID", wrong.encode("latin-1"))])
    assert len(answer.headers["x-request-id"]) == 32


@pytest.mark.parametrize("address", ["/healthz", "/no/such/address", "/graphs"])
def test_every_response_has_security_headers(api: TestClient, address: str) -> None:
    headers = api.get(address).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"


def test_a_page_keeps_its_own_policy(api: TestClient) -> None:
    policy = api.get("/").headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "default-src 'none'" not in policy


@pytest.fixture
def small_api(make_api: MakeApi, sqlite_settings: Settings) -> TestClient:
    """The API with a limit of two kilobytes a body."""
    return make_api(sqlite_settings.model_copy(update={"body_limit": 2048}))


@pytest.mark.parametrize("address", ["/graphs", "/train"])
def test_a_body_announced_too_large_is_refused(small_api: TestClient, address: str) -> None:
    answer = small_api.post(address, content=b" " * 2049, headers=JSON)
    assert answer.status_code == 413
    assert answer.json()["type"] == "/problems/body-too-large"
    assert "2,048 bytes" in answer.json()["detail"]


@pytest.mark.parametrize("address", ["/graphs", "/train"])
def test_a_body_streamed_too_large_is_refused(small_api: TestClient, address: str) -> None:
    def stream() -> Iterator[bytes]:
        for _ in range(30):
            yield b" " * 100

    answer = small_api.post(address, content=stream(), headers=JSON)
    assert answer.status_code == 413
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_body_at_the_limit_is_read(small_api: TestClient) -> None:
    body = b'{"buses": [{"id": "1"}], "branches": []}'.ljust(2048)
    assert small_api.post("/graphs", content=body, headers=JSON).status_code == 201


@pytest.mark.parametrize(
    "address", ["/graphs/%00", "/predict/a%00b", "/models?graph_id=%00", "/jobs/%00"]
)
def test_a_url_with_nul_is_refused_before_it_reaches_the_database(
    api: TestClient, address: str
) -> None:
    answer = api.get(address)
    assert answer.status_code == 400
    assert answer.json()["type"] == "/problems/address-invalid"


@pytest.mark.parametrize(
    "address", ["/graphs/%ff%fe", "/predict/%ed%a0%80", "/models/%F0%9F%92%A1"]
)
def test_strange_characters_in_an_address_find_nothing_and_break_nothing(
    any_api: TestClient, address: str
) -> None:
    assert any_api.get(address).status_code in (404, 409)
