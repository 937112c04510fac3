from typing import Any

import pytest
from starlette.testclient import TestClient

from app.grid.grid import Grid
from app.ingest.formats.matpower.reader import read
from app.ingest.protocol import Request
from app.labels.catalogue import compute_label_set
from tests.app.ingest.requests import SMALL_CASE
from tests.app.samples import post_graph, ring


def _post(api: TestClient, graph_id: str, body: dict[str, Any]) -> Any:
    return api.post(f"/graphs/{graph_id}/labels", json=body)


def _small_grid() -> Grid:
    return read(Request("matpower", {"file": SMALL_CASE.encode()})).grid


def test_own_labels_may_be_partial_and_use_names(api: TestClient) -> None:
    graph_id = post_graph(api)
    labels = {"1": "north", "Bus 2": "south", "3": 7, "4": None, "nowhere": "north"}
    answer = _post(api, graph_id, {"name": "owner", "labels": labels})
    assert answer.status_code == 201
    assert answer.headers["location"] == f"/graphs/{graph_id}/labels/owner"
    assert answer.json()["class_counts"] == {"7": 1, "north": 1, "south": 1}
    assert (answer.json()["source"], answer.json()["version"]) == ("user", 1)
    assert answer.json()["report"] == {"unknown_buses": {"count": 1, "first": ["nowhere"]}}
    stored = api.get(f"/graphs/{graph_id}/labels/owner").json()
    assert stored["classes"] == [1, 2, 0, -1, -1, -1]


def test_own_labels_are_read_from_csv(api: TestClient) -> None:
    graph_id = post_graph(api)
    answer = api.post(
        f"/graphs/{graph_id}/labels",
        files={"file": ("labels.csv", b"label,bus\nwest,1\n,2\neast,3\n")},
        data={"name": "side"},
    )
    assert answer.status_code == 201
    assert answer.json()["class_counts"] == {"east": 1, "west": 1}


def test_the_same_labels_again_change_nothing_and_others_are_refused(api: TestClient) -> None:
    graph_id = post_graph(api)
    body = {"name": "owner", "labels": {"1": "a", "2": "b"}}
    assert _post(api, graph_id, body).status_code == 201
    assert _post(api, graph_id, body).status_code == 200
    other = _post(api, graph_id, {"name": "owner", "labels": {"1": "b", "2": "a"}})
    assert other.status_code == 409
    assert other.json()["type"] == "/problems/label-exists"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"kind": "role", "labels": {"1": "a"}},
        {"name": "x", "labels": {"9": "a"}},
        {"name": "x", "labels": {"1": ""}},
        {"name": "x", "labels": {"1": "a", "Bus 1": "b"}},
        {"name": "a/b", "labels": {"1": "a"}},
        {"name": "", "labels": {"1": "a"}},
        {"labels": {"1": "a"}},
        {"name": "x", "labels": {"1": ["a"]}},
        {"name": "x", "labels": {"1": 1.5}},
        {"kind": "__class__"},
        {"kind": "role"},
        {"kind": "zone"},
        {"kind": "voltage_class"},
        {"kind": "role", "else": 1},
    ],
)
def test_invalid_labels_are_rejected_and_nothing_is_stored(
    api: TestClient, body: dict[str, Any]
) -> None:
    graph_id = post_graph(api, ring())
    before = api.get(f"/graphs/{graph_id}/labels").json()
    answer = _post(api, graph_id, body)
    assert answer.status_code == 422
    assert answer.json()["type"] == "/problems/labels-rejected"
    assert api.get(f"/graphs/{graph_id}/labels").json() == before


@pytest.mark.parametrize(
    "content", [b"", b"a,b\n1,2\n", b'bus,label\n"1,a\n', b"bus,label\n1\n", b"\xff"]
)
def test_a_broken_file_of_labels_is_refused(api: TestClient, content: bytes) -> None:
    graph_id = post_graph(api)
    files = {"file": ("x.csv", content)}
    answer = api.post(f"/graphs/{graph_id}/labels", files=files, data={"name": "x"})
    assert answer.status_code == 422


def test_an_unknown_grid_is_not_found(api: TestClient) -> None:
    assert _post(api, "none", {"kind": "articulation"}).status_code == 404


def test_a_kind_of_the_catalogue_is_stored_under_its_name(api: TestClient) -> None:
    path = {"buses": [{"id": name} for name in "abc"]}
    branches = [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}]
    graph_id = post_graph(api, path | {"branches": branches})
    answer = _post(api, graph_id, {"kind": "articulation"})
    assert answer.status_code == 201
    assert answer.json()["class_counts"] == {"inner": 2, "cut": 1}
    assert _post(api, graph_id, {"kind": "articulation"}).status_code == 200


@pytest.mark.parametrize(
    ("kind", "classes"),
    [
        ("role", ["generator", "load", "generator"]),
        ("role4", ["generator", "load", "generator"]),
        ("voltage_class", ["high voltage", "high voltage", "medium voltage"]),
        ("voltage_level", ["138 kV", "138 kV", "13.8 kV"]),
        ("voltage_band", ["normal", "normal", "normal"]),
        ("articulation", ["inner", "cut", "inner"]),
    ],
)
def test_the_catalogue_labels_the_small_case(kind: str, classes: list[str]) -> None:
    label_set = compute_label_set(_small_grid(), kind)
    assert [label_set.class_names[code] for code in label_set.classes] == classes
    assert (label_set.source, label_set.version) == ("catalogue", 1)
