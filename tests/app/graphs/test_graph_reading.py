import time

import numpy as np
import pytest
from starlette.testclient import TestClient

from tests.app.ingest.requests import SMALL_CASE
from tests.app.samples import post_graph, ring


def test_grids_are_listed_newest_first_in_pages(any_api: TestClient) -> None:
    ids = [post_graph(any_api, ring(name=f"grid {number}")) for number in range(5)]
    pages = [any_api.get("/graphs?limit=2").json()]
    while pages[-1]["next_cursor"]:
        place = {"limit": 2, "cursor": pages[-1]["next_cursor"]}
        pages.append(any_api.get("/graphs", params=place).json())
    assert [len(page["items"]) for page in pages] == [2, 2, 1]
    assert [item["id"] for page in pages for item in page["items"]] == ids[::-1]


def test_a_page_survives_the_deletion_of_its_last_grid(api: TestClient) -> None:
    ids = [post_graph(api, ring(name=f"grid {number}")) for number in range(4)]
    cursor = api.get("/graphs?limit=2").json()["next_cursor"]
    api.delete(f"/graphs/{ids[2]}")
    rest = api.get("/graphs", params={"cursor": cursor}).json()["items"]
    assert [item["id"] for item in rest] == [ids[1], ids[0]]


@pytest.mark.parametrize("limit", [0, -1, 201, 10**30])
def test_a_page_has_between_one_and_200_rows(api: TestClient, limit: int) -> None:
    answer = api.get("/graphs", params={"limit": limit})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["where"] == "query.limit"


@pytest.mark.parametrize(
    "cursor", ["x", "20260101T000000.000000-", "99999999T999999.999999-a", "ʼ-1"]
)
def test_an_invalid_cursor_is_refused(any_api: TestClient, cursor: str) -> None:
    answer = any_api.get("/graphs", params={"cursor": cursor})
    assert answer.status_code == 400
    assert answer.json()["type"] == "/problems/cursor-invalid"


@pytest.mark.parametrize("part", ["", "/topology", "/buses", "/branches", "/labels", "/labels/x"])
def test_a_grid_that_does_not_exist_is_not_found(api: TestClient, part: str) -> None:
    answer = api.get(f"/graphs/none{part}")
    assert answer.status_code == 404
    assert answer.json()["type"] == "/problems/graph-not-found"


def test_buses_are_paged_in_the_order_of_the_grid(api: TestClient) -> None:
    address = f"/graphs/{post_graph(api)}/buses"
    first = api.get(address, params={"limit": 4}).json()
    second = api.get(address, params={"limit": 4, "cursor": first["next_cursor"]}).json()
    assert [bus["id"] for bus in first["items"] + second["items"]] == list("123456")
    assert second["next_cursor"] is None
    assert first["items"][0] == {
        "id": "1",
        "name": "Bus 1",
        "x": None,
        "y": None,
        "substation": None,
        "aliases": {"name": "Bus 1"},
        "features": {"Pd": 1.0},
        "columns": {},
        "texts": {},
    }


def test_columns_of_buses_and_branches_are_shown_with_units(api: TestClient) -> None:
    graph = api.post("/graphs", files={"file": ("small.m", SMALL_CASE)}).json()
    address = f"/graphs/{graph['id']}"
    bus = api.get(f"{address}/buses").json()["items"][0]
    assert (bus["columns"]["Pg"], bus["columns"]["degree"]) == (40, 2)
    branch = api.get(f"{address}/branches").json()["items"][2]
    expected = {"r": 0, "x": 0.2, "b": 0, "rating": 0, "tap": 0.98, "shift": 0}
    assert branch["columns"] == expected
    assert {"name": "Pg", "unit": "MW"} in graph["report"]["bus_columns"]
    assert {"name": "shift", "unit": "degree"} in graph["report"]["branch_columns"]


def test_branches_are_paged_with_the_ids_of_their_ends(api: TestClient) -> None:
    address = f"/graphs/{post_graph(api)}/branches"
    page = api.get(address, params={"limit": 1, "cursor": 5}).json()
    assert page == {
        "items": [{"from": "6", "to": "1", "weight": 1.0, "kind": "line", "columns": {}}],
        "next_cursor": None,
    }


def test_the_topology_has_every_bus_and_branch_as_columns(any_api: TestClient) -> None:
    body = ring(3)
    body["buses"][0] |= {"lat": 50.5, "lon": -3.25}
    graph_id = post_graph(any_api, body)
    assert any_api.get(f"/graphs/{graph_id}/topology").json() == {
        "graph_id": graph_id,
        "coordinate_system": "geographic",
        "kind_names": ["line"],
        "buses": {
            "id": ["1", "2", "3"],
            "name": ["Bus 1", "Bus 2", "Bus 3"],
            "x": [-3.25, None, None],
            "y": [50.5, None, None],
            "substation": None,
        },
        "branches": {"from": [0, 1, 2], "to": [1, 2, 0], "weight": [1.0] * 3, "kind": [0] * 3},
    }


def test_labels_are_sent_as_columns(api: TestClient) -> None:
    graph_id = post_graph(api)
    columns = api.get(f"/graphs/{graph_id}/labels/label").json()
    assert columns["class_names"] == ["generator", "load", "neither"]
    assert columns["bus_ids"] == list("123456")
    assert columns["classes"] == [1, 0, 2, 1, 0, -1]


def test_absent_labels_are_404_and_the_existing_ones_are_named(
    api: TestClient,
) -> None:
    answer = api.get(f"/graphs/{post_graph(api)}/labels/role")
    assert answer.status_code == 404
    assert "'label'" in answer.json()["detail"]


def test_a_grid_of_82000_buses_is_sent_within_a_second(api: TestClient) -> None:
    count = 82_000
    ends = np.random.default_rng(0).integers(1, count, 22_000)
    body = {
        "buses": [{"id": bus, "lat": 40.0, "lon": -100.0} for bus in range(count)],
        "branches": [{"from": bus, "to": bus + 1} for bus in range(count - 1)]
        + [{"from": 0, "to": int(end)} for end in ends],
    }
    graph_id = post_graph(api, body)
    api.get(f"/graphs/{graph_id}/topology")
    started = time.process_time()
    columns = api.get(f"/graphs/{graph_id}/topology").content
    assert time.process_time() - started < 1
    assert columns.count(b"-100.0") == count
