from typing import Any

from starlette.testclient import TestClient

from tests.app.samples import post_graph, ring


def _changed_ring() -> dict[str, Any]:
    """The ring of six without bus 6, with bus 7 and another demand at bus 1."""
    body = ring()
    buses = [
        {name: value for name, value in bus.items() if name not in ("label", "name")}
        for bus in body["buses"][:5]
    ]
    buses[0]["features"] = {"Pd": 99.0}
    buses.append({"id": "7", "features": {"Pd": 7.0}})
    kept = [pair for pair in body["branches"] if "6" not in (pair["from"], pair["to"])]
    return {"buses": buses, "branches": [*kept, {"from": "5", "to": "7"}]}


def test_labels_and_aliases_carry_over_by_id(api: TestClient) -> None:
    first = post_graph(api)
    own = {"name": "owner", "labels": {"1": "a", "6": "b"}}
    assert api.post(f"/graphs/{first}/labels", json=own).status_code == 201
    second = api.post(f"/graphs?version_of={first}", json=_changed_ring())
    assert second.status_code == 201
    told = second.json()["report"]["version"]
    assert (told["of"], told["number"]) == (first, 2)
    assert told["labels_carried_over"] == ["label", "owner"]
    owner = api.get(f"/graphs/{second.json()['id']}/labels/owner").json()
    assert owner["classes"] == [0, -1, -1, -1, -1, -1]
    buses = api.get(f"/graphs/{second.json()['id']}/buses").json()["items"]
    assert [bus["name"] for bus in buses][:2] == ["Bus 1", "Bus 2"]
    assert buses[5]["name"] is None


def test_the_difference_is_told(api: TestClient) -> None:
    first = post_graph(api)
    second = api.post(f"/graphs?version_of={first}", json=_changed_ring())
    difference = second.json()["report"]["version"]["difference"]
    assert difference == {
        "buses_added": {"count": 1, "first": ["7"]},
        "buses_removed": {"count": 1, "first": ["6"]},
        "branches_added": {"count": 1, "first": ["5-7"]},
        "branches_removed": {"count": 2, "first": ["1-6", "5-6"]},
        "features_changed": {"Pd": 1},
    }
    third = api.post(f"/graphs?version_of={second.json()['id']}", json=ring(7))
    assert third.json()["report"]["version"]["number"] == 3


def test_the_same_content_as_a_version_is_the_same_grid(api: TestClient) -> None:
    first = post_graph(api)
    own = {"name": "owner", "labels": {"1": "a"}}
    api.post(f"/graphs/{first}/labels", json=own)
    again = api.post(f"/graphs?version_of={first}", json=ring())
    assert again.status_code == 200
    assert again.json()["id"] == first


def test_a_version_of_nothing_is_not_found_and_not_stored(api: TestClient) -> None:
    assert api.post("/graphs?version_of=none", json=ring()).status_code == 404
    assert api.get("/graphs").json()["items"] == []
