from typing import Any

from starlette.testclient import TestClient

from tests.app.ingest.requests import SMALL_CASE
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


def _post_version(api: TestClient, graph_id: str, body: dict[str, Any]) -> str:
    answer = api.post(f"/graphs?version_of={graph_id}", json=body)
    assert answer.status_code == 201
    return str(answer.json()["id"])


def test_labels_and_aliases_carry_over_by_id(api: TestClient) -> None:
    first = post_graph(api)
    own = {"name": "owner", "labels": {"1": "a", "6": "b"}}
    assert api.post(f"/graphs/{first}/labels", json=own).status_code == 201
    second = api.post(f"/graphs?version_of={first}", json=_changed_ring())
    assert second.status_code == 201
    assert (second.json()["version_of"], second.json()["version"]) == (first, 2)
    change = second.json()["report"]["version"]
    assert change["labels_carried_over"] == ["label", "owner"]
    owner = api.get(f"/graphs/{second.json()['id']}/labels/owner").json()
    assert owner["source"] == "user"
    assert owner["classes"] == [0, -1, -1, -1, -1, -1]
    buses = api.get(f"/graphs/{second.json()['id']}/buses").json()["items"]
    assert [bus["name"] for bus in buses][:2] == ["Bus 1", "Bus 2"]
    assert buses[5]["name"] is None


def test_the_report_lists_the_difference(api: TestClient) -> None:
    first = post_graph(api)
    second = api.post(f"/graphs?version_of={first}", json=_changed_ring())
    difference = second.json()["report"]["version"]["difference"]
    assert difference == {
        "buses_added": {"count": 1, "first": ["7"]},
        "buses_removed": {"count": 1, "first": ["6"]},
        "branches_added": {"count": 1, "first": ["5-7"]},
        "branches_removed": {"count": 2, "first": ["1-6", "5-6"]},
        "features_changed": {
            "Pd": {"count": 1, "first": ["1"], "largest": {"at": "1", "from": 1.0, "to": 99.0}}
        },
        "branch_columns_changed": {},
        "labels_changed": {},
    }


def test_the_versions_of_a_grid_are_listed_from_any_of_them(any_api: TestClient) -> None:
    first = post_graph(any_api)
    second = _post_version(any_api, first, _changed_ring())
    third = _post_version(any_api, second, ring(7))
    beside = _post_version(any_api, first, ring(8))
    for graph_id in (first, second, third, beside):
        items = any_api.get(f"/graphs/{graph_id}/versions").json()["items"]
        assert [item["id"] for item in items] == [first, second, third, beside]
        assert [item["version"] for item in items] == [1, 2, 3, 4]
        assert [item["version_of"] for item in items] == [None, first, second, first]


def test_a_family_outlives_its_first_version(api: TestClient) -> None:
    first = post_graph(api)
    second = _post_version(api, first, _changed_ring())
    assert api.delete(f"/graphs/{first}").status_code == 204
    third = _post_version(api, second, ring(7))
    items = api.get(f"/graphs/{third}/versions").json()["items"]
    assert [(item["id"], item["version"]) for item in items] == [(second, 2), (third, 3)]


def test_two_grids_can_be_compared_either_way(api: TestClient) -> None:
    first = post_graph(api)
    second = _post_version(api, first, _changed_ring())
    there = api.get(f"/graphs/{first}/difference/{second}").json()
    back = api.get(f"/graphs/{second}/difference/{first}").json()
    assert there["buses_added"] == back["buses_removed"] == {"count": 1, "first": ["7"]}
    assert back["features_changed"]["Pd"]["largest"] == {"at": "1", "from": 99.0, "to": 1.0}
    assert api.get(f"/graphs/{first}/difference/none").status_code == 404
    assert api.get("/graphs/none/versions").status_code == 404


def test_changes_of_parallel_branches_and_roles_are_reported(api: TestClient) -> None:
    # The second of the two lines 1-2 gets another reactance; bus 10 gets a load, its type stays.
    line = "\t2\t1\t0.01\t0.1\t0.02"
    changed = SMALL_CASE.replace(line, "\t2\t1\t0.01\t0.3\t0.02").replace(
        "\t1\t3\t0\t0", "\t1\t3\t9\t0"
    )
    switched = changed.replace("\t1\t40\t0\t10", "\t2\t40\t0\t10", 1)
    first = api.post("/graphs", files={"file": ("a.m", SMALL_CASE)}).json()["id"]
    second = api.post("/graphs", files={"file": ("b.m", switched)}).json()["id"]
    difference = api.get(f"/graphs/{first}/difference/{second}").json()
    assert difference["branch_columns_changed"] == {
        "x": {"count": 1, "first": ["1-2"], "largest": {"at": "1-2", "from": 0.1, "to": 0.3}}
    }
    assert difference["features_changed"]["Pd"]["first"] == ["1"]
    assert difference["labels_changed"] == {"role": {"count": 2, "first": ["1", "2"]}}


def test_the_same_content_as_a_version_is_the_same_grid(api: TestClient) -> None:
    first = post_graph(api)
    own = {"name": "owner", "labels": {"1": "a"}}
    api.post(f"/graphs/{first}/labels", json=own)
    again = api.post(f"/graphs?version_of={first}", json=ring())
    assert again.status_code == 200
    assert again.json()["id"] == first


def test_a_version_of_an_absent_grid_is_404_and_not_stored(api: TestClient) -> None:
    assert api.post("/graphs?version_of=none", json=ring()).status_code == 404
    assert api.get("/graphs").json()["items"] == []
