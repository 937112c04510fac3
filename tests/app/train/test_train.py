from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from tests.app.samples import post_graph, ring


def faults_of(answer: httpx2.Response) -> dict[str, str]:
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    return {fault["where"]: fault["problem"] for fault in answer.json()["errors"]}


def train(api: TestClient, **body: Any) -> httpx2.Response:
    return api.post("/train", json=body)


def test_a_request_is_accepted_with_the_path_of_its_job(any_api: TestClient) -> None:
    graph_id = post_graph(any_api, ring(30))
    answer = train(any_api, graph_id=graph_id, label="label", config={"epochs": 7})
    assert answer.status_code == 202, answer.text
    place = answer.headers["location"]
    assert place == f"/jobs/{answer.json()['job_id']}"
    job = any_api.get(place).json()
    assert (job["state"], job["graph_id"], job["label"]) == ("queued", graph_id, "label")
    assert job["request"]["config"]["epochs"] == 7


def test_missing_fields_get_their_defaults(api: TestClient) -> None:
    job = api.get(train(api, graph_id=post_graph(api, ring(30))).headers["location"]).json()
    assert job["label"] == "label"
    assert job["request"]["features"] == ["Pd"]
    assert job["request"]["config"]["method"] == "auto"
    assert job["request"]["split"] is None


@pytest.mark.parametrize("config", [{"seed": 3}, {"budget_seconds": 5}, {"method": "auto"}])
def test_a_request_without_settings_of_a_network_lets_the_service_choose(
    api: TestClient, config: dict[str, Any]
) -> None:
    answer = train(api, graph_id=post_graph(api, ring(30)), config=config)
    request = api.get(answer.headers["location"]).json()["request"]
    assert request["config"]["method"] == "auto"


@pytest.mark.parametrize("config", [{"alpha": 0.2}, {"drop_edge": "uniform"}, {"method": "lfgcn"}])
def test_settings_of_a_network_train_lfgcn_with_the_split_of_the_paper(
    api: TestClient, config: dict[str, Any]
) -> None:
    answer = train(api, graph_id=post_graph(api, ring(30)), config=config)
    request = api.get(answer.headers["location"]).json()["request"]
    assert request["config"]["method"] == "lfgcn"
    assert request["split"] == {"kind": "stratified", "seed": 0, "fractions": [0.1, 0.2, 0.7]}


def test_the_request_id_is_stored_with_the_job(api: TestClient) -> None:
    from app.storage.tables import JobRow

    graph_id = post_graph(api, ring(30))
    answer = api.post("/train", json={"graph_id": graph_id}, headers={"X-Request-ID": "mine"})
    with api.app.state.database.reading() as session:  # type: ignore[attr-defined]  # ASGI app
        assert session.get_one(JobRow, answer.json()["job_id"]).request_id == "mine"


def test_every_fault_is_reported(api: TestClient) -> None:
    answer = train(
        api,
        graph_id=post_graph(api, ring(30)),
        label="colour",
        features=["Pd", "speed"],
        config={"alpha": 2, "epochs": "many", "pooling": "best", "learning_rat": 0.1},
    )
    faults = faults_of(answer)
    assert set(faults) == {
        "label",
        "features",
        "config.alpha",
        "config.epochs",
        "config.pooling",
        "config.learning_rat",
    }
    assert "did you mean 'learning_rate'" in faults["config.learning_rat"]
    assert "'label'" in faults["label"]
    assert api.get("/jobs").json()["items"] == []


def test_an_invalid_body_does_not_hide_faults_of_the_settings(api: TestClient) -> None:
    config = {"alpha": 2, "learning_rat": 0.1}
    answer = train(api, graph_id="any", priority=12, surprise=1, config=config)
    faults = faults_of(answer)
    assert set(faults) == {"body.priority", "body.surprise", "config.alpha", "config.learning_rat"}


def test_a_setting_outside_of_config_is_reported(api: TestClient) -> None:
    faults = faults_of(train(api, graph_id="any", method="gcn", surprise=1))
    assert faults["body.method"] == "is a setting: put it into config"
    assert "config" not in faults["body.surprise"]


@pytest.mark.parametrize("config", [None, [], "lfgcn"])
def test_a_config_that_is_not_an_object_is_rejected(api: TestClient, config: Any) -> None:
    faults = faults_of(train(api, graph_id="any", config=config))
    assert faults == {"body.config": "Input should be a JSON object"}


def test_a_bad_label_does_not_hide_a_bad_split(api: TestClient) -> None:
    split = {"kind": "random", "fractions": [0.5, 0.5, 0.5]}
    answer = train(api, graph_id=post_graph(api, ring(30)), label="colour", split=split)
    assert set(faults_of(answer)) == {"label", "split.fractions"}


def test_an_unknown_grid_is_404(api: TestClient) -> None:
    assert train(api, graph_id="nothing").status_code == 404


@pytest.mark.parametrize("value", [True, None, [], {}, "0.2", -1, 0, 1])
def test_an_alpha_outside_its_domain_is_rejected(api: TestClient, value: Any) -> None:
    answer = train(api, graph_id=post_graph(api, ring(30)), config={"alpha": value})
    assert set(faults_of(answer)) == {"config.alpha"}


def test_too_few_labels_to_split_are_rejected(api: TestClient) -> None:
    answer = train(api, graph_id=post_graph(api, ring(4)), config={"method": "lfgcn"})
    assert "too few" in faults_of(answer)["split"]


def test_labels_of_one_class_are_rejected(api: TestClient) -> None:
    body = ring(30)
    for bus in body["buses"]:
        bus["label"] = "load"
    answer = train(api, graph_id=post_graph(api, body))
    assert "1 class" in faults_of(answer)["label"]


def test_fractions_that_do_not_sum_to_one_are_rejected(api: TestClient) -> None:
    split = {"kind": "random", "fractions": [0.5, 0.5, 0.5]}
    answer = train(api, graph_id=post_graph(api, ring(30)), split=split)
    assert set(faults_of(answer)) == {"split.fractions"}


def test_a_repeated_feature_is_rejected(api: TestClient) -> None:
    answer = train(api, graph_id=post_graph(api, ring(30)), features=["Pd", "Pd"])
    assert "more than once" in faults_of(answer)["features"]


def test_unknown_columns_are_reported_with_the_available_ones(api: TestClient) -> None:
    unknown = [f"x{number}" for number in range(1000)]
    answer = train(api, graph_id=post_graph(api, ring(30)), features=unknown)
    (fault,) = answer.json()["errors"]
    assert fault["problem"].startswith("the grid has no column 'x0', 'x1', ")
    assert fault["problem"].endswith("'x999'; available: Pd")


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"features": ["Pd"] * 1001}, "body.features"),
        ({"config": {f"x{number}": 1 for number in range(101)}}, "body.config"),
    ],
)
def test_too_long_lists_are_rejected(api: TestClient, body: Any, where: str) -> None:
    assert "at most" in faults_of(train(api, graph_id="unread", **body))[where]


@pytest.mark.parametrize(
    "body",
    [
        b'{"graph_id": NaN}',
        b'{"graph_id": "a", "graph_id": "b"}',
        b'{"graph_id": "a", "config": {"alpha": 1e999}}',
        b'{"graph_id": "\\ud800"}',
        b'{"graph_id": 1}',
        b'{"graph_id": "a", "priority": 123456789012345678901234567890}',
        b'{"graph_id": "a", "surprise": 1}',
        b"[" * 100_000,
        b"",
    ],
)
def test_a_hostile_body_is_a_4xx_problem(api: TestClient, body: bytes) -> None:
    answer = api.post("/train", content=body, headers={"content-type": "application/json"})
    assert 400 <= answer.status_code < 500
    assert answer.headers["content-type"] == "application/problem+json"


def test_the_api_description_lists_the_settings(api: TestClient) -> None:
    schemas = api.get("/openapi.json").json()["components"]["schemas"]
    config = schemas["TrainIn"]["properties"]["config"]
    assert config["properties"]["alpha"]["default"] == 0.2
    assert config["properties"]["alpha"]["exclusiveMinimum"] == 0
    assert config["properties"]["alpha"]["exclusiveMaximum"] == 1
    assert config["properties"]["seed"]["maximum"] == 4294967295
    assert [name for name, each in config["properties"].items() if not each["description"]] == []
    assert "lfgcn_plus only" in config["properties"]["members"]["description"]


def test_settings_without_effect_are_accepted_with_a_warning(
    api: TestClient,
) -> None:
    graph_id = post_graph(api, ring(30))
    answer = train(api, graph_id=graph_id, config={"method": "gcn", "members": 8, "agreement": 1})
    assert answer.status_code == 202
    assert answer.json()["warnings"] == ["members, agreement have no effect with method 'gcn'."]
    plain = train(api, graph_id=graph_id, config={"method": "gcn", "width": 8})
    assert plain.json()["warnings"] == []


def test_a_dense_matrix_that_does_not_fit_into_memory_is_rejected(api: TestClient) -> None:
    graph_id = post_graph(api, ring(20_001))
    answer = train(api, graph_id=graph_id, config={"operator": "dense"})
    assert "19 GB for 20,001 buses" in faults_of(answer)["config.operator"]
    assert train(api, graph_id=graph_id, config={"operator": "auto"}).status_code == 202
