from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from app.settings import Settings
from app.train.examples import TRAIN_EXAMPLES
from tests.app.conftest import MakeApi
from tests.app.samples import post_graph, ring

GRID = {"grid": {"alpha": [0.1, 0.3], "width": [8, 16]}, "seeds": [0, 1]}


def post_sweep(api: TestClient, sweep: Any, **body: Any) -> httpx2.Response:
    graph_id = post_graph(api, ring(30))
    return api.post("/train", json={"graph_id": graph_id, "sweep": sweep} | body)


def faults_of(answer: httpx2.Response) -> dict[str, str]:
    assert answer.status_code == 422, answer.text
    return {fault["where"]: fault["problem"] for fault in answer.json()["errors"]}


def test_a_sweep_is_accepted_with_its_path_and_all_its_jobs(any_api: TestClient) -> None:
    answer = post_sweep(any_api, GRID, label="label", config={"epochs": 9}, priority=3)
    assert answer.status_code == 202, answer.text
    assert answer.headers["location"] == answer.json()["href"]
    sweep = any_api.get(answer.headers["location"]).json()
    assert sweep["id"] == answer.json()["sweep_id"]
    assert (sweep["state"], sweep["progress"], sweep["best"]) == ("queued", 0, None)
    assert sweep["jobs"]["total"] == sweep["jobs"]["queued"] == 8
    assert sweep["parameters"] == ["alpha", "width"]
    rows = [(row["parameters"], row["seed"]) for row in sweep["results"]]
    assert rows[:2] == [({"alpha": 0.1, "width": 8}, 0), ({"alpha": 0.1, "width": 8}, 1)]
    assert rows[-1] == ({"alpha": 0.3, "width": 16}, 1)
    job = any_api.get(f"/jobs/{sweep['results'][-1]['job_id']}").json()
    assert (job["state"], job["priority"]) == ("queued", 3)
    assert job["request"]["sweep_id"] == sweep["id"]
    config = job["request"]["config"]
    assert (config["alpha"], config["width"], config["seed"]) == (0.3, 16, 1)
    assert config["epochs"] == 9


def test_a_search_is_accepted_with_as_many_jobs_as_its_budget(api: TestClient) -> None:
    space = {"alpha": {"low": 0.05, "high": 0.9}, "gamma": {"low": 0.001, "high": 1, "log": True}}
    answer = post_sweep(api, {"search": {"budget": 5, "space": space}}, config={"seed": 4})
    sweep = api.get(answer.headers["location"]).json()
    assert sweep["jobs"]["total"] == 5
    assert {row["seed"] for row in sweep["results"]} == {4}
    assert len({row["parameters"]["gamma"] for row in sweep["results"]}) == 5


def test_faults_of_sweep_and_request_are_reported_together(
    api: TestClient,
) -> None:
    grid = {"alpha": [0.1, 2, 0.1], "pooling": ["best"], "alfa": [1], "width": [], "seed": [1]}
    answer = post_sweep(
        api, {"grid": grid, "seeds": [0, -1, 0]}, label="colour", config={"epochs": 0}
    )
    faults = faults_of(answer)
    assert set(faults) == {
        "label",
        "config.epochs",
        "sweep.grid.alpha[1]",
        "sweep.grid.alpha[2]",
        "sweep.grid.pooling[0]",
        "sweep.grid.alfa[0]",
        "sweep.grid.width",
        "sweep.grid.seed",
        "sweep.seeds[1]",
        "sweep.seeds[2]",
    }
    assert "did you mean 'alpha'" in faults["sweep.grid.alfa[0]"]
    assert api.get("/jobs").json()["items"] == api.get("/sweeps").json()["items"] == []


def test_every_fault_of_a_search_is_reported(api: TestClient) -> None:
    space = {
        "alpha": {"low": 0.9, "high": 0.1},
        "dropout": {"low": 0, "high": 0.5, "log": True},
        "pooling": {"low": 0, "high": 1},
        "width": {"low": 1.5, "high": 64},
    }
    answer = post_sweep(api, {"search": {"budget": 0, "space": space}})
    assert set(faults_of(answer)) == {
        "sweep.search.space.alpha",
        "sweep.search.space.dropout.low",
        "sweep.search.space.pooling.low",
        "sweep.search.space.pooling.high",
        "sweep.search.space.width.low",
        "sweep.search.budget",
    }


@pytest.mark.parametrize(
    ("sweep", "where"),
    [
        ({}, "sweep"),
        (GRID | {"search": {"budget": 1, "space": {"alpha": [0.1]}}}, "sweep"),
        ({"grid": {}}, "sweep.grid"),
        ({"search": {"budget": 1, "space": {}}}, "sweep.search.space"),
        ({"grid": {"alpha": [0.1]}, "seeds": []}, "sweep.seeds"),
    ],
)
def test_a_sweep_needs_exactly_one_of_grid_and_search_with_values(
    api: TestClient, sweep: Any, where: str
) -> None:
    assert set(faults_of(post_sweep(api, sweep))) == {where}


def test_more_jobs_than_the_limit_are_rejected(
    make_api: MakeApi, sqlite_settings: Settings
) -> None:
    api = make_api(sqlite_settings.model_copy(update={"sweep_limit": 7}))
    faults = faults_of(post_sweep(api, GRID))
    assert faults == {"sweep": "creates 8 jobs; at most 7 are allowed"}
    huge = {"alpha": [number / 2000 for number in range(1, 901)], "gamma": [0.5], "width": [1, 2]}
    assert "1,800 jobs" in faults_of(post_sweep(api, {"grid": huge}))["sweep"]


def test_too_many_values_are_rejected_before_they_are_checked(api: TestClient) -> None:
    many = {"alpha": list(range(501)), "gamma": list(range(500))}
    problem = "has 1,001 values; at most 1,000 are allowed"
    assert faults_of(post_sweep(api, {"grid": many})) == {"sweep.grid": problem}
    search = {"budget": 5, "space": many}
    assert faults_of(post_sweep(api, {"search": search})) == {"sweep.search.space": problem}
    answer = post_sweep(api, {"grid": {"alpha": [0.1]}, "seeds": list(range(1001))})
    assert "at most 1000" in faults_of(answer)["body.sweep.seeds"]


def test_a_grid_with_an_astronomical_count_of_jobs_is_rejected(api: TestClient) -> None:
    grid = {f"setting{number}": [0, 1] for number in range(20_000)}
    assert "40,000 values" in faults_of(post_sweep(api, {"grid": grid}))["sweep.grid"]


def test_equal_numbers_are_repeats_and_lists_are_invalid_values(
    api: TestClient,
) -> None:
    faults = faults_of(post_sweep(api, {"grid": {"width": [8, [8], [8], 8.0]}}))
    assert faults["sweep.grid.width[3]"] == "8.0 is given more than once"
    assert "[8] is not a whole number" in faults["sweep.grid.width[1]"]
    assert "[8] is not a whole number" in faults["sweep.grid.width[2]"]


def test_an_operator_that_does_not_fit_into_memory_is_rejected(api: TestClient) -> None:
    body = {"graph_id": post_graph(api, ring(20_001))}
    sweep = {"grid": {"operator": ["auto", "dense"]}}
    faults = faults_of(api.post("/train", json=body | {"sweep": sweep}))
    assert set(faults) == {"sweep.grid.operator[1]"}
    assert "19 GB" in faults["sweep.grid.operator[1]"]


def test_the_same_idempotency_key_returns_the_same_sweep(api: TestClient) -> None:
    body = {"graph_id": post_graph(api, ring(30)), "sweep": GRID}
    answers = [api.post("/train", json=body, headers={"Idempotency-Key": "mine"}) for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    assert answers[0].headers["location"] == answers[1].headers["location"]
    assert len(api.get("/jobs").json()["items"]) == 8


def test_a_queued_sweep_is_cancelled_immediately(any_api: TestClient) -> None:
    place = post_sweep(any_api, GRID).headers["location"]
    answer = any_api.delete(place)
    assert answer.status_code == 200, answer.text
    assert (answer.json()["state"], answer.json()["cancel_requested"]) == ("cancelled", True)
    assert answer.json()["jobs"]["cancelled"] == 8
    assert answer.json()["finished_at"] is not None
    assert {job["state"] for job in any_api.get("/jobs").json()["items"]} == {"cancelled"}


def test_a_sweep_that_has_ended_cannot_be_cancelled(api: TestClient) -> None:
    place = post_sweep(api, GRID).headers["location"]
    api.delete(place)
    answer = api.delete(place)
    assert answer.status_code == 409
    assert answer.json()["type"] == "/problems/sweep-ended"


def test_an_unknown_sweep_is_404(api: TestClient) -> None:
    for answer in (api.get("/sweeps/nothing"), api.delete("/sweeps/nothing")):
        assert answer.status_code == 404
        assert answer.json()["type"] == "/problems/sweep-not-found"


def test_sweeps_are_listed_newest_first_in_pages(any_api: TestClient) -> None:
    places = [post_sweep(any_api, GRID).headers["location"] for _ in range(3)]
    first = any_api.get("/sweeps", params={"limit": 2}).json()
    second = any_api.get("/sweeps", params={"cursor": first["next_cursor"]}).json()
    listed = [f"/sweeps/{item['id']}" for item in [*first["items"], *second["items"]]]
    assert listed == places[::-1]
    assert all(item["jobs"]["queued"] == 8 for item in first["items"])
    assert "results" not in first["items"][0]


def test_sweeps_are_filtered_by_grid(api: TestClient) -> None:
    place = post_sweep(api, GRID).headers["location"]
    graph_id = api.get(place).json()["graph_id"]
    assert len(api.get("/sweeps", params={"graph_id": graph_id}).json()["items"]) == 1
    assert api.get("/sweeps", params={"graph_id": "other"}).json()["items"] == []


def test_a_grid_is_not_deleted_while_a_sweep_is_queued(api: TestClient) -> None:
    place = post_sweep(api, GRID).headers["location"]
    graph_id = api.get(place).json()["graph_id"]
    assert api.delete(f"/graphs/{graph_id}").status_code == 409
    api.delete(place)
    assert api.delete(f"/graphs/{graph_id}").status_code == 204
    assert api.get(place).json()["graph_id"] is None


@pytest.mark.parametrize("name", TRAIN_EXAMPLES)
def test_the_examples_of_the_api_documentation_are_accepted(api: TestClient, name: str) -> None:
    body = TRAIN_EXAMPLES[name]["value"] | {"graph_id": post_graph(api, ring(30)), "label": "label"}
    assert api.post("/train", json=body).status_code == 202
    operation = api.get("/openapi.json").json()["paths"]["/train"]["post"]
    shown = operation["requestBody"]["content"]["application/json"]["examples"]
    assert shown[name]["value"]["label"] == "role"
