from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.settings import Settings
from tests.app.conftest import MakeApi
from tests.app.samples import post_graph, ring


def test_a_topology_is_stored_and_found_at_its_location(any_api: TestClient) -> None:
    answer = any_api.post("/graphs", json=ring(name="a ring"))
    assert answer.status_code == 201
    created = answer.json()
    assert created["name"] == "a ring"
    assert (created["bus_count"], created["branch_count"], created["island_count"]) == (6, 6, 1)
    assert created["labels"][0]["name"] == "label"
    assert len(created["content_hash"]) == 64
    assert any_api.get(answer.headers["location"]).json() == created


def test_the_same_content_again_is_the_same_grid(any_api: TestClient) -> None:
    first = any_api.post("/graphs", json=ring())
    second = any_api.post("/graphs", json=ring())
    assert (first.status_code, second.status_code) == (201, 200)
    assert second.json() == first.json()
    assert second.headers["location"] == first.headers["location"]
    assert len(any_api.get("/graphs").json()["items"]) == 1


@pytest.mark.parametrize("change", ["label", "feature", "name", "weight", "coordinates"])
def test_other_content_is_another_grid(api: TestClient, change: str) -> None:
    body = ring()
    first = post_graph(api, body)
    changes: dict[str, dict[str, Any]] = {
        "label": {"label": "other"},
        "feature": {"features": {"Pd": 7.5}},
        "name": {"name": "Other"},
        "coordinates": {"lat": 1.0, "lon": 2.0},
    }
    body["buses"][0] |= changes.get(change, {})
    body["branches"][0] |= {"weight": 2.0} if change == "weight" else {}
    assert post_graph(api, body) != first


def test_the_same_grid_sent_many_times_at_once_is_stored_once(any_api: TestClient) -> None:
    with ThreadPoolExecutor(4) as pool:
        ids = set(pool.map(lambda _: post_graph(any_api), range(8)))
    assert len(ids) == 1


def test_every_fault_of_a_grid_is_listed_and_nothing_is_stored(any_api: TestClient) -> None:
    body = {
        "buses": [
            {"id": "1", "features": {"Pd": 1}},
            {"id": "1", "features": {"Pd": "much"}},
            {"id": "2", "lat": 91, "lon": 0, "features": {"Pd": 1}},
            {"id": "3", "features": {"Qd": 1}},
        ],
        "branches": [{"from": "1", "to": "9", "weight": -1}, {"from": "1"}],
    }
    answer = any_api.post("/graphs", json=body)
    assert answer.status_code == 422
    assert answer.json()["type"] == "/problems/grid-rejected"
    places = [error["where"] for error in answer.json()["errors"]]
    assert sorted(places) == [
        "branches[0].to",
        "branches[0].weight",
        "branches[1].to",
        "buses[0].features",
        "buses[1].features",
        "buses[1].features.Pd",
        "buses[1].id",
        "buses[2].features",
        "buses[2].lat",
        "buses[3].features",
    ]
    assert any_api.get("/graphs").json()["items"] == []


def test_a_grid_over_the_limits_is_refused(make_api: MakeApi, sqlite_settings: Settings) -> None:
    small = sqlite_settings.model_copy(update={"bus_limit": 5, "branch_limit": 5})
    answer = make_api(small).post("/graphs", json=ring(6))
    assert [error["where"] for error in answer.json()["errors"]] == ["buses", "branches"]


def test_a_case_together_with_a_topology_is_rejected(api: TestClient) -> None:
    answer = api.post("/graphs", json={"case": "case9", "buses": [], "name": "x"})
    assert answer.status_code == 422
    assert {error["where"] for error in answer.json()["errors"]} == {"buses", "name"}


def test_the_report_lists_what_was_dropped_and_assumed(api: TestClient) -> None:
    body = ring()
    body["branches"] += [{"from": "2", "to": "2"}, {"from": "2", "to": "1"}]
    body["buses"].append({"id": "lonely", "features": {"Pd": 0}})
    report = api.post("/graphs", json=body).json()["report"]
    assert report["dropped"]["self_loops"] == {"count": 1, "first": ["2"]}
    assert report["parallel_branches"] == {"count": 1, "first": ["1-2"]}
    assert report["isolated_buses"] == {"count": 1, "first": ["lonely"]}
    assert (report["islands"], report["largest_island"]) == (2, 6)
    assert report["labels"] == {"label": {"generator": 2, "load": 2, "neither": 1}}


def test_case118_is_stored_with_its_roles(any_api: TestClient) -> None:
    created = any_api.post("/graphs", json={"case": "case118"}).json()
    assert (created["bus_count"], created["branch_count"]) == (118, 186)
    assert created["feature_names"] == ["Pd", "Qd", "Vm", "Va", "base_kv"]
    labels = any_api.get(f"/graphs/{created['id']}/labels").json()["items"]
    role = next(label for label in labels if label["name"] == "role")
    assert role["class_counts"] == {"neither": 10, "load": 54, "generator": 54}
