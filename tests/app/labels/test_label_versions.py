from typing import Any

from starlette.testclient import TestClient

from tests.app.samples import post_graph, put_model

FIRST = {"name": "owner", "labels": {"1": "north", "2": "south", "3": "south"}}
SECOND = {"name": "owner", "labels": {"1": "north", "2": "north", "3": "west"}}


def _add(api: TestClient, graph_id: str, body: dict[str, Any], query: str = "") -> dict[str, Any]:
    answer = api.post(f"/graphs/{graph_id}/labels{query}", json=body)
    assert answer.status_code == 201, answer.text
    added: dict[str, Any] = answer.json()
    return added


def _train(api: TestClient, graph_id: str, accuracy: float = 0.5, version: int = 1) -> str:
    names = ("north", "south", "west")
    return put_model(
        api, graph_id, accuracy, label="owner", class_names=names, label_version=version
    )


def test_other_labels_of_a_name_replace_it_only_on_request(any_api: TestClient) -> None:
    graph_id = post_graph(any_api)
    assert _add(any_api, graph_id, FIRST)["version"] == 1
    refused = any_api.post(f"/graphs/{graph_id}/labels", json=SECOND)
    assert refused.status_code == 409
    assert "?replace=true" in refused.json()["detail"]
    assert _add(any_api, graph_id, SECOND, "?replace=true")["version"] == 2
    same = any_api.post(f"/graphs/{graph_id}/labels?replace=true", json=SECOND)
    assert (same.status_code, same.json()["version"]) == (200, 2)
    path = f"/graphs/{graph_id}/labels/owner"
    newest = any_api.get(path).json()
    assert (newest["version"], newest["class_names"]) == (2, ["north", "west"])
    before = any_api.get(path, params={"version": 1}).json()
    assert (before["version"], before["class_names"]) == (1, ["north", "south"])
    assert before["classes"][:3] == [0, 1, 1]
    assert any_api.get(path, params={"version": 3}).status_code == 404
    listed = any_api.get(f"/graphs/{graph_id}/labels").json()["items"]
    assert {item["name"]: item["version"] for item in listed}["owner"] == 2


def test_a_label_set_may_be_replaced_that_does_not_exist_yet(api: TestClient) -> None:
    assert _add(api, post_graph(api), FIRST, "?replace=true")["version"] == 1


def test_a_kind_of_the_catalogue_replaces_own_labels_of_its_name(api: TestClient) -> None:
    graph_id = post_graph(api)
    _add(api, graph_id, {"name": "articulation", "labels": {"1": "cut"}})
    kept = api.post(f"/graphs/{graph_id}/labels", json={"kind": "articulation"})
    assert (kept.status_code, kept.json()["source"]) == (200, "user")
    computed = _add(api, graph_id, {"kind": "articulation"}, "?replace=true")
    assert (computed["source"], computed["version"]) == ("catalogue", 2)


def test_models_remember_the_version_that_they_have_learnt(any_api: TestClient) -> None:
    graph_id = post_graph(any_api)
    _add(any_api, graph_id, FIRST)
    old = _train(any_api, graph_id, 0.9)
    assert any_api.get("/predict/2", params={"label": "owner"}).json()["known_label"] == "south"
    _add(any_api, graph_id, SECOND, "?replace=true")
    assert any_api.get(f"/models/{old}").json()["label_version"] == 1
    card = any_api.get(f"/models/{old}/card").json()
    assert card["data"]["label_version"] == 1
    assert "was replaced" in card["warnings"][0]
    answer = any_api.get("/predict/2", params={"label": "owner"}).json()
    assert answer["known_label"] == "north"
    assert "the newest is version 2" in answer["warnings"][0]


def test_a_model_of_a_newer_version_takes_over(api: TestClient) -> None:
    graph_id = post_graph(api)
    _add(api, graph_id, FIRST)
    old = _train(api, graph_id, 0.9)
    _add(api, graph_id, SECOND, "?replace=true")
    new = _train(api, graph_id, 0.4, version=2)
    answer = api.get("/predict/2", params={"label": "owner"}).json()
    assert answer["model_id"] == new
    assert not any("was replaced" in warning for warning in answer["warnings"])
    assert "version 2 of the labels" in api.get(f"/models/{new}").json()["promotion"]
    compared = api.get(f"/models/{old}/compare", params={"with": new})
    assert compared.status_code == 200, compared.text
    assert "versions 1 and 2" in compared.json()["warnings"][0]


def test_a_deleted_label_set_is_gone_with_its_versions(any_api: TestClient) -> None:
    graph_id = post_graph(any_api)
    _add(any_api, graph_id, FIRST)
    _add(any_api, graph_id, SECOND, "?replace=true")
    path = f"/graphs/{graph_id}/labels/owner"
    assert any_api.delete(path).status_code == 204
    assert any_api.get(path).status_code == 404
    missing = any_api.delete(f"/graphs/{graph_id}/labels/labl")
    assert (missing.status_code, missing.json()["suggestions"]) == (404, ["label"])
    assert any_api.delete("/graphs/none/labels/owner").status_code == 404
    assert _add(any_api, graph_id, SECOND)["version"] == 1


def test_a_label_set_with_models_is_deleted_only_with_them(any_api: TestClient) -> None:
    graph_id = post_graph(any_api)
    _add(any_api, graph_id, FIRST)
    model = _train(any_api, graph_id)
    other = put_model(any_api, graph_id)
    path = f"/graphs/{graph_id}/labels/owner"
    refused = any_api.delete(path)
    assert refused.status_code == 409
    assert refused.json()["type"] == "/problems/label-in-use"
    assert model in refused.json()["detail"]
    assert any_api.delete(path, params={"with_models": True}).status_code == 204
    assert any_api.get(f"/models/{model}").status_code == 404
    assert any_api.get(f"/models/{other}").status_code == 200
    assert any_api.get("/predict/1", params={"graph_id": graph_id}).json()["model_id"] == other


def test_a_label_set_in_use_by_a_job_stays_as_it_is(any_api: TestClient) -> None:
    graph_id = post_graph(any_api)
    _add(any_api, graph_id, FIRST)
    body = {"graph_id": graph_id, "label": "owner", "split": {"train": ["1", "2", "3"]}}
    job = any_api.post("/train", json=body)
    assert job.status_code == 202, job.text
    path = f"/graphs/{graph_id}/labels"
    answers = [
        any_api.post(f"{path}?replace=true", json=SECOND),
        any_api.delete(f"{path}/owner?with_models=true"),
    ]
    for answer in answers:
        assert answer.status_code == 409
        assert job.json()["job_id"] in answer.json()["detail"]
    assert any_api.delete(job.json()["href"]).status_code == 200
    assert any_api.post(f"{path}?replace=true", json=SECOND).status_code == 201


def test_the_report_on_replaced_labels_is_measured_again(api: TestClient) -> None:
    graph_id = post_graph(api)
    _add(api, graph_id, FIRST)
    path = f"/graphs/{graph_id}/labels/owner/suitability"
    first = api.get(path).json()["job_id"]
    assert api.delete(f"/jobs/{first}").status_code == 200
    _add(api, graph_id, SECOND, "?replace=true")
    second = api.get(path)
    assert second.status_code == 202
    assert second.json()["job_id"] != first
