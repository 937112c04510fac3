import pytest
from starlette.testclient import TestClient

from tests.app.hostile import HOSTILE_BODIES

JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize("address", ["/graphs", "/train"])
@pytest.mark.parametrize("name", HOSTILE_BODIES)
def test_a_hostile_body_is_refused_as_a_problem_and_nothing_is_stored(
    api: TestClient, address: str, name: str
) -> None:
    answer = api.post(address, content=HOSTILE_BODIES[name], headers=JSON)
    assert 400 <= answer.status_code < 500, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["errors"]
    assert api.get("/graphs").json()["items"] == []
    assert api.get("/jobs").json()["items"] == []


@pytest.mark.parametrize("address", ["/graphs", "/train"])
@pytest.mark.parametrize(
    "declared", [None, "text/plain", "application/xml", "application/octet-stream"]
)
def test_a_body_that_does_not_declare_json_is_refused_as_415(
    api: TestClient, address: str, declared: str | None
) -> None:
    headers = {} if declared is None else {"Content-Type": declared}
    answer = api.post(address, content=b'{"case": "case118"}', headers=headers)
    assert answer.status_code == 415
    assert answer.json()["type"] == "/problems/media-type-unsupported"


def test_json_may_declare_its_character_set(api: TestClient) -> None:
    headers = {"Content-Type": "Application/JSON; charset=utf-8"}
    body = b'{"buses": [{"id": "1"}], "branches": []}'
    assert api.post("/graphs", content=body, headers=headers).status_code == 201


def test_invalid_values_are_listed_with_their_places(api: TestClient) -> None:
    answer = api.post("/train", json={"graph_id": 1, "priority": "high", "sped": 1})
    assert answer.status_code == 422
    places = {error["where"] for error in answer.json()["errors"]}
    assert places == {"body.graph_id", "body.priority", "body.sped"}
