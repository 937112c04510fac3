from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.app.ingest.requests import SMALL_CASE
from tests.app.samples import post_graph, put_model, ring

EDITED_CASE = SMALL_CASE.replace("\t2\t1\t0.01\t0.1\t0.02", "\t2\t1\t0.01\t0.3\t0.02")


def upload(
    api: TestClient, file_name: str, content: str | bytes = SMALL_CASE, **fields: str
) -> dict[str, Any]:
    answer = api.post("/graphs", files={"file": (file_name, content)}, data=fields)
    assert answer.status_code in (200, 201), answer.text
    body: dict[str, Any] = answer.json()
    return body


def send(api: TestClient, body: dict[str, Any]) -> dict[str, Any]:
    answer = api.post("/graphs", json=body)
    assert answer.status_code in (200, 201), answer.text
    sent: dict[str, Any] = answer.json()
    return sent


def star(count: int, name: str = "net") -> dict[str, Any]:
    """Branches from bus 1 to all others: another grid than a ring, with the same bus ids."""
    branches = [{"from": "1", "to": str(bus)} for bus in range(2, count + 1)]
    return ring(count, name=name) | {"branches": branches}


def edit(body: dict[str, Any]) -> dict[str, Any]:
    """The same grid with one more branch."""
    return body | {"branches": [*body["branches"], {"from": "2", "to": "4"}]}


NET = ring(name="net")


@pytest.mark.parametrize(
    ("file_name", "name"),
    [
        ("case300.m", "case300"),
        ("left\u202eright.m", "left right"),
        ("x" * 500 + ".m", "x" * 200),
    ],
)
def test_the_name_of_the_file_is_the_default_name(
    api: TestClient, file_name: str, name: str
) -> None:
    graph = upload(api, file_name)
    assert graph["name"] == name
    assert api.get(f"/graphs/by-name/{name}").json()["id"] == graph["id"]


def test_an_explicit_name_wins_and_data_without_a_file_name_keep_their_own(api: TestClient) -> None:
    assert upload(api, "a.m", name="Nordic 2026")["name"] == "Nordic 2026"
    assert upload(api, "blob", EDITED_CASE)["name"] == "small"


def test_an_edited_file_of_the_same_name_is_the_newest_version(api: TestClient) -> None:
    first = upload(api, "net.m")
    own = {"name": "owner", "labels": {"1": "north"}}
    assert api.post(f"/graphs/{first['id']}/labels", json=own).status_code == 201
    second = upload(api, "net.m", EDITED_CASE)
    assert (second["name"], second["version"], second["version_of"]) == ("net", 2, first["id"])
    assert second["report"]["version"]["labels_carried_over"] == ["owner"]
    assert api.get("/graphs/by-name/net").json()["id"] == second["id"]
    later = {"name": "later", "labels": {"1": "x"}}
    assert api.post(f"/graphs/{second['id']}/labels", json=later).status_code == 201
    again = upload(api, "net.m", EDITED_CASE)
    assert (again["id"], again["version"]) == (second["id"], 2)


def test_an_earlier_version_sent_again_is_the_newest(any_api: TestClient) -> None:
    first = send(any_api, NET)
    second = send(any_api, edit(NET))
    back = send(any_api, NET)
    assert (back["id"], back["version"], back["version_of"]) == (first["id"], 3, second["id"])
    assert any_api.get("/graphs/by-name/net").json()["id"] == first["id"]
    items = any_api.get(f"/graphs/{first['id']}/versions").json()["items"]
    assert [item["id"] for item in items] == [second["id"], first["id"]]


def test_unrelated_grids_of_the_same_name_are_numbered(any_api: TestClient) -> None:
    wheel = send(any_api, NET)
    other = send(any_api, star(6))
    assert (other["name"], other["version"]) == ("net (2)", 1)
    assert "this one is named 'net (2)'" in other["report"]["notes"][-1]
    assert any_api.get("/graphs/by-name/net").json()["id"] == wheel["id"]
    edited = send(any_api, star(8))
    assert (edited["name"], edited["version"]) == ("net (2)", 2)
    assert send(any_api, edit(NET))["version_of"] == wheel["id"]
    assert any_api.get("/graphs/by-name/net (2)").json()["id"] == edited["id"]


def test_a_grid_is_a_version_of_a_named_one_on_request(api: TestClient) -> None:
    first = send(api, NET)
    answer = api.post("/graphs?version_of=net", json=star(6, "new"))
    assert answer.status_code == 201
    assert (answer.json()["name"], answer.json()["version_of"]) == ("net", first["id"])
    assert "instead of 'new'" in answer.json()["report"]["notes"][-1]


def test_topologies_without_a_name_stay_separate(api: TestClient) -> None:
    graphs = [send(api, ring()), send(api, edit(ring()))]
    assert [graph["version"] for graph in graphs] == [1, 1]
    assert graphs[1]["name"] == f"{graphs[0]['name']} (2)"


def test_the_same_name_at_the_same_moment_is_numbered(any_api: TestClient) -> None:
    bodies = [star(count) for count in (5, 12, 30)]
    with ThreadPoolExecutor(3) as pool:
        names = [sent["name"] for sent in pool.map(lambda body: send(any_api, body), bodies)]
    assert sorted(names) == ["net", "net (2)", "net (3)"]


def test_a_grid_is_renamed_with_all_its_versions(any_api: TestClient) -> None:
    first, second = (send(any_api, body)["id"] for body in (NET, edit(NET)))
    any_api.get(f"/graphs/{first}/buses")  # loaded under its old name
    answer = any_api.patch(f"/graphs/{first}", json={"name": "Nordic 2026"})
    assert (answer.status_code, answer.json()["name"]) == (200, "Nordic 2026")
    assert any_api.get(f"/graphs/{second}").json()["name"] == "Nordic 2026"
    assert any_api.get("/graphs/by-name/Nordic 2026").json()["id"] == second
    assert any_api.get("/graphs/by-name/net").status_code == 404
    exported = any_api.get(f"/graphs/{first}/export/json").json()
    assert exported["name"] == "Nordic 2026"
    same = any_api.patch(f"/graphs/{second}", json={"name": "Nordic 2026"})
    assert same.status_code == 200


def test_a_taken_name_is_refused(any_api: TestClient) -> None:
    send(any_api, NET)
    other = send(any_api, star(6, "other"))["id"]
    answer = any_api.patch(f"/graphs/{other}", json={"name": "net"})
    assert answer.status_code == 409
    assert answer.json()["type"] == "/problems/name-taken"
    assert any_api.get(f"/graphs/{other}").json()["name"] == "other"


@pytest.mark.parametrize(
    ("body", "places"),
    [
        ({"name": ""}, ["name"]),
        ({"name": " a"}, ["name"]),
        ({"name": "a/b"}, ["name"]),
        ({"name": "a\u202eb"}, ["name"]),
        ({"name": "a\nb"}, ["name"]),
        ({"name": "x" * 201}, ["name"]),
        ({"name": 5, "owner": "me"}, ["body.name", "body.owner"]),
        ({}, ["body.name"]),
    ],
)
def test_every_fault_of_a_new_name_is_listed(
    api: TestClient, body: dict[str, Any], places: list[str]
) -> None:
    answer = api.patch(f"/graphs/{post_graph(api)}", json=body)
    assert answer.status_code == 422
    assert [fault["where"] for fault in answer.json()["errors"]] == places
    assert api.patch("/graphs/none", json={"name": "x"}).status_code == 404


def test_an_unknown_name_gets_suggestions(api: TestClient) -> None:
    send(api, ring(name="nordic"))
    for address in ("/graphs/by-name/nordik", "/predict?graph=nordik", "/models?graph=nordik"):
        answer = api.get(address)
        assert answer.status_code == 404
        assert answer.json()["suggestions"] == ["nordic"]
        assert "Did you mean 'nordic'?" in answer.json()["detail"]


def test_parts_of_a_grid_are_found_by_its_name(api: TestClient) -> None:
    graph_id = send(api, ring(name="my net"))["id"]
    answer = api.get("/graphs/by-name/my net/buses?q=1&limit=2", follow_redirects=False)
    assert answer.status_code == 307
    assert answer.headers["location"] == f"/graphs/{graph_id}/buses?q=1&limit=2"
    assert api.get("/graphs/by-name/my net/export/csv").status_code == 200
    assert api.get("/graphs/by-name/other/buses").status_code == 404


def test_a_name_stands_for_the_newest_version_wherever_an_id_does(api: TestClient) -> None:
    put_model(api, send(api, NET)["id"], 0.9)
    new = send(api, edit(NET))["id"]
    model = put_model(api, new, 0.5)
    assert api.get("/predict/1", params={"graph": "net"}).json()["model_id"] == model
    assert api.get("/predict", params={"graph": "net"}).json()["graph_id"] == new
    rows = api.post("/predict", json={"graph": "net", "bus_ids": ["1"]}).json()
    assert rows["graph_id"] == new
    models = api.get("/models", params={"graph": "net"}).json()["items"]
    assert [item["id"] for item in models] == [model]
    job = api.post(
        "/train", json={"graph": "net", "label": "label", "split": {"train": ["1", "2"]}}
    )
    assert job.status_code == 202, job.text
    assert api.get(job.json()["href"]).json()["graph_id"] == new
    jobs = api.get("/jobs", params={"graph": "net"}).json()["items"]
    assert [item["id"] for item in jobs] == [job.json()["job_id"]]
    assert api.get("/sweeps", params={"graph": "net"}).json()["items"] == []


def test_an_id_and_a_name_of_different_grids_are_refused(api: TestClient) -> None:
    post_graph(api, ring(name="net"))
    other = post_graph(api, ring(9, name="other"))
    both = {"graph": "net", "graph_id": other}
    answers = [api.get(path, params=both) for path in ("/predict", "/models", "/jobs", "/sweeps")]
    answers.append(api.post("/train", json=both))
    answers.append(api.post("/predict", json=both | {"bus_ids": ["1"]}))
    for answer in answers:
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["where"] == "graph"
    agreeing = api.get("/models", params={"graph": "other", "graph_id": other})
    assert agreeing.status_code == 200


def test_training_needs_a_grid_by_id_or_by_name(api: TestClient) -> None:
    answer = api.post("/train", json={"config": {"alpha": 7}})
    assert answer.status_code == 422
    places = [fault["where"] for fault in answer.json()["errors"]]
    assert "body.graph_id" in places
    assert any("alpha" in place for place in places)
    assert api.post("/train", json={"graph": "none"}).status_code == 404
