import numpy as np
import pytest
from sqlalchemy import event
from starlette.testclient import TestClient

from app.models.predictions import PackedPredictions
from app.models.service import NewModel, store_model
from app.settings import Settings
from app.storage.db import Database
from ml import random_split
from tests.app.conftest import MakeApi
from tests.app.samples import post_graph, put_model, ring


@pytest.fixture
def graph_id(any_api: TestClient) -> str:
    return post_graph(any_api)


def database_of(api: TestClient) -> Database:
    found: Database = api.app.state.database  # type: ignore[attr-defined]  # an ASGI app to mypy
    return found


def test_a_bus_gets_its_class_and_the_probability_of_every_class(
    any_api: TestClient, graph_id: str
) -> None:
    model_id = put_model(any_api, graph_id)
    answer = any_api.get("/predict/1").json()
    assert answer.pop("versions").pop("model_created_at")
    assert answer == {
        "bus_id": "1",
        "bus_name": "Bus 1",
        "class": "load",
        "probabilities": {"generator": 0.1, "load": 0.7, "neither": 0.2},
        "true_label": "load",
        "known_label": "load",
        "answer": "load",
        "source": "known",
        "split": "train",
        "prediction_set": None,
        "abstain": False,
        "quality": "known",
        "reasons": ["known label"],
        "label": "label",
        "graph_id": graph_id,
        "model_id": model_id,
        "chosen": "the only active model",
        "promise": {
            "kind": "none",
            "coverage": 0.9,
            "calibration_buses": 3,
            "calibration_substations": None,
            "sentence": "No promise: 90 % needs at least 9 buses whose label was hidden from the "
            "model; there are 3.",
        },
        "warnings": [],
    }


@pytest.mark.parametrize(
    ("bus", "part"), [("1", "train"), ("2", "validation"), ("3", "test"), ("6", None)]
)
def test_the_answer_names_the_part_of_the_split(
    api: TestClient, bus: str, part: str | None
) -> None:
    put_model(api, post_graph(api))
    assert api.get(f"/predict/{bus}").json()["split"] == part


def test_a_bus_without_a_known_class_has_no_true_label(api: TestClient) -> None:
    put_model(api, post_graph(api))
    answer = api.get("/predict/6").json()
    assert (answer["true_label"], answer["known_label"]) == (None, None)
    assert (answer["answer"], answer["source"]) == (answer["class"], "predicted")


def test_the_columns_agree_with_the_answers_for_single_buses(api: TestClient) -> None:
    put_model(api, post_graph(api))
    columns = api.get("/predict").json()
    names = columns["class_names"]
    for bus, bus_id in enumerate(columns["bus_ids"]):
        answer = api.get(f"/predict/{bus_id}").json()
        known = columns["known_labels"][bus]
        assert answer["known_label"] == (None if known < 0 else names[known])
        assert answer["answer"] == names[columns["answers"][bus]]
        assert answer["source"] == columns["sources"][bus]
        assert answer["class"] == names[columns["classes"][bus]]


def test_a_bus_is_found_by_its_name(api: TestClient) -> None:
    put_model(api, post_graph(api))
    assert api.get("/predict/Bus 4").json()["bus_id"] == "4"


def test_an_id_takes_precedence_over_the_name_of_another_bus(api: TestClient) -> None:
    body = ring()
    body["buses"][1]["name"] = "4"
    put_model(api, post_graph(api, body))
    assert api.get("/predict/4").json()["bus_id"] == "4"


def test_an_ambiguous_name_is_not_found_and_the_ids_are_listed(api: TestClient) -> None:
    body = ring()
    body["buses"][0]["name"] = body["buses"][4]["name"] = "Twin"
    put_model(api, post_graph(api, body))
    answer = api.get("/predict/Twin")
    assert answer.status_code == 404
    assert "1, 5" in answer.json()["detail"]


@pytest.mark.parametrize("bus_id", ["a/b", "50% & more?", "Umeå #1", "..", "a//b"])
def test_ids_may_contain_any_characters(api: TestClient, bus_id: str) -> None:
    body = ring()
    body["buses"][0]["id"] = bus_id
    body["branches"][0]["from"] = body["branches"][5]["to"] = bus_id
    put_model(api, post_graph(api, body))
    quoted = "".join(f"%{byte:02X}" for byte in bus_id.encode())
    assert api.get(f"/predict/{quoted}").json()["bus_id"] == bus_id


def test_an_unknown_bus_is_not_found(any_api: TestClient, graph_id: str) -> None:
    put_model(any_api, graph_id)
    answer = any_api.get("/predict/0")
    assert answer.status_code == 404
    assert answer.json()["type"] == "/problems/bus-not-found"


@pytest.mark.parametrize("address", ["/predict/1", "/predict"])
def test_without_a_model_the_answer_is_409(any_api: TestClient, address: str) -> None:
    answer = any_api.get(address)
    assert answer.status_code == 409
    assert answer.json()["type"] == "/problems/no-model-yet"


def test_without_a_model_the_running_training_job_is_named(any_api: TestClient) -> None:
    graph_id = post_graph(any_api, ring(30))
    job_id = any_api.post("/train", json={"graph_id": graph_id}).json()["job_id"]
    for query in ("", f"?graph_id={graph_id}&label=label"):
        assert f"GET /jobs/{job_id}" in any_api.get(f"/predict/1{query}").json()["detail"]
    other = any_api.get("/predict/1?label=other").json()["detail"]
    assert other.endswith("start a training job with POST /train.")


def test_a_grid_without_a_model_is_not_answered_by_other_grids(api: TestClient) -> None:
    put_model(api, post_graph(api))
    other = post_graph(api, ring(name="other"))
    assert api.get("/predict/1", params={"graph_id": other}).status_code == 409


@pytest.mark.parametrize(
    ("query", "kind"), [("graph_id=none", "graph-not-found"), ("model_id=none", "model-not-found")]
)
def test_an_unknown_grid_or_model_is_not_found(
    any_api: TestClient, graph_id: str, query: str, kind: str
) -> None:
    put_model(any_api, graph_id)
    answer = any_api.get(f"/predict/1?{query}")
    assert answer.status_code == 404
    assert answer.json()["type"] == f"/problems/{kind}"


def test_of_several_grids_the_last_promoted_model_answers(
    any_api: TestClient, graph_id: str
) -> None:
    put_model(any_api, graph_id)
    other = post_graph(any_api, ring(name="other"))
    put_model(any_api, other)
    answer = any_api.get("/predict/1").json()
    assert answer["graph_id"] == other
    assert answer["chosen"] == "the last promoted of 2 active models"
    named = any_api.get("/predict/1", params={"graph_id": graph_id}).json()
    assert (named["graph_id"], named["chosen"]) == (graph_id, "the only active model")


def test_an_answer_for_one_of_several_grids_contains_a_warning(api: TestClient) -> None:
    first = post_graph(api)
    put_model(api, first)
    put_model(api, post_graph(api, ring(name="other")))
    for address in ("/predict/1", "/predict"):
        (warning,) = api.get(address).json()["warnings"]
        assert "2 grids" in warning
        assert "'other'" in warning
        assert "?graph_id=" in warning
    assert api.get("/predict/1", params={"graph_id": first}).json()["warnings"] == []


def test_two_labels_of_one_grid_cause_no_warning(api: TestClient) -> None:
    graph_id = post_graph(api)
    api.post(f"/graphs/{graph_id}/labels", json={"name": "side", "labels": {"1": "a", "2": "b"}})
    put_model(api, graph_id)
    put_model(api, graph_id, label="side")
    assert api.get("/predict/1").json()["warnings"] == []


def test_a_bus_that_only_one_grid_has_is_answered_from_it(api: TestClient) -> None:
    large, small = post_graph(api, ring(name="large")), post_graph(api, ring(4, name="mine"))
    model = put_model(api, large)
    put_model(api, small)
    answer = api.get("/predict/6").json()
    assert (answer["graph_id"], answer["model_id"]) == (large, model)
    assert answer["chosen"] == "the only grid with an active model that has this bus"
    assert "graph_id" not in api.get("/predict/9").json()["detail"]
    named = api.get("/predict/6", params={"graph_id": small}).json()["detail"]
    assert named == "The grid 'mine' has no bus '6'."


def test_several_other_grids_with_the_bus_are_suggested(api: TestClient) -> None:
    large, larger = post_graph(api, ring(name="large")), post_graph(api, ring(7, name="larger"))
    small = post_graph(api, ring(4, name="mine"))
    for graph_id in (large, larger, small):
        put_model(api, graph_id)
    detail = api.get("/predict/6").json()["detail"]
    assert detail.startswith("The grid 'mine' has no bus '6'.")
    assert f"?graph_id={large} ('large')" in detail
    assert f"?graph_id={larger} ('larger')" in detail
    assert small not in detail


def test_the_model_in_the_request_answers_instead_of_the_active_one(
    any_api: TestClient, graph_id: str
) -> None:
    put_model(any_api, graph_id, accuracy=0.9)
    worse = put_model(any_api, graph_id, accuracy=0.1)
    answer = any_api.get("/predict/1", params={"model_id": worse}).json()
    assert (answer["model_id"], answer["chosen"]) == (worse, "the model named in the request")


def test_a_model_of_another_grid_is_rejected(api: TestClient) -> None:
    model_id = put_model(api, post_graph(api))
    other = post_graph(api, ring(name="other"))
    answer = api.get("/predict/1", params={"model_id": model_id, "graph_id": other})
    assert answer.status_code == 404


def test_a_new_active_model_answers_immediately(any_api: TestClient, graph_id: str) -> None:
    put_model(any_api, graph_id, accuracy=0.1)
    any_api.get("/predict/1")
    better = put_model(any_api, graph_id, accuracy=0.9)
    assert any_api.get("/predict/1").json()["model_id"] == better


def test_all_buses_are_returned_as_columns(any_api: TestClient, graph_id: str) -> None:
    model_id = put_model(any_api, graph_id)
    columns = any_api.get("/predict", params={"graph_id": graph_id}).json()
    assert columns["model_id"] == model_id
    assert columns["bus_ids"] == list("123456")
    assert columns["class_names"] == ["generator", "load", "neither"]
    assert columns["classes"] == [1, 2, 0, 1, 2, 2]
    assert columns["probabilities"][0] == [0.1, 0.7, 0.2]
    assert columns["truth"] == [1, 0, 2, 1, 0, -1]
    assert columns["known_labels"] == [1, 0, 2, 1, 0, -1]
    assert columns["answers"] == [1, 0, 2, 1, 0, 2]
    assert columns["sources"] == ["known"] * 5 + ["predicted"]
    assert columns["parts"] == ["train", "validation", "test", "test", None, None]


def test_a_second_answer_needs_only_small_queries(
    make_api: MakeApi, sqlite_settings: Settings
) -> None:
    api = make_api(sqlite_settings.model_copy(update={"prepared_bytes": 0}))
    put_model(api, post_graph(api))
    api.get("/predict/1")
    statements: list[str] = []

    def note(*details: object) -> None:
        statements.append(str(details[2]))

    event.listen(database_of(api).engine, "before_cursor_execute", note)
    api.get("/predict/2")
    assert 1 <= len(statements) <= 4
    assert not any("probabilities" in text or "arrays" in text for text in statements)


def test_82000_buses_are_answered(api: TestClient) -> None:
    count = 82_000
    body = {"buses": [{"id": bus, "label": bus % 4} for bus in range(count)], "branches": []}
    graph_id = post_graph(api, body)
    probabilities = np.random.default_rng(0).dirichlet(np.ones(4), count)
    model = NewModel(
        graph_id=graph_id,
        label="label",
        kind="lfgcn",
        class_names=("0", "1", "2", "3"),
        weights=b"",
        manifest={},
        metrics={},
        curves={},
        predictions=PackedPredictions.pack(probabilities, random_split(np.arange(count) % 4, 0)),
    )
    with database_of(api).writing() as session:
        store_model(session, model)
    answer = api.get("/predict")
    assert len(answer.json()["classes"]) == count
