"""The automatic choice of the method, by a real worker over HTTP."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from ml import Split
from tests.app.models.files.hostile_files import Envelope, Tensors, rewritten
from tests.app.samples import post_graph, put_model, ring
from tests.app.worker.conftest import Bench
from tests.app.worker.over_http import follow, serving

AUTO = {"method": "auto", "seed": 3}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, Bench]]:
    with serving(tmp_path_factory.mktemp("auto")) as both:
        yield both


@pytest.fixture(scope="module")
def job(served: tuple[TestClient, Bench]) -> dict[str, Any]:
    api, bench = served
    return follow(api, api.post("/train", json={"graph_id": bench.graph_id, "config": AUTO}))


def card_of(served: tuple[TestClient, Bench], job: dict[str, Any]) -> dict[str, Any]:
    card: dict[str, Any] = served[0].get(f"/models/{job['model_id']}/card").json()
    return card


def test_all_labels_are_used_and_the_figures_are_out_of_fold(
    served: tuple[TestClient, Bench], job: dict[str, Any]
) -> None:
    card = card_of(served, job)
    assert card["model"]["kind"] == "auto"
    assert card["split"]["kind"] == "cross_validation"
    assert card["selection"]["labels"] == 30
    assert card["metrics"]["test"]["count"] == 30
    assert any("out of fold" in limit for limit in card["limits"])


def test_the_card_lists_every_candidate_and_the_chosen_one(
    served: tuple[TestClient, Bench], job: dict[str, Any]
) -> None:
    selection = card_of(served, job)["selection"]
    chosen = [one["key"] for one in selection["candidates"] if one["status"] == "chosen"]
    assert sorted(chosen) == sorted(member["key"] for member in selection["members"])
    assert sum(member["weight"] for member in selection["members"]) == pytest.approx(1)
    assert len(selection["candidates"]) > 10
    evaluated = [one for one in selection["candidates"] if one["accuracy"] is not None]
    assert all(one["log_loss"] is not None for one in evaluated)


def test_the_headline_states_the_expected_accuracy_with_its_interval(
    served: tuple[TestClient, Bench], job: dict[str, Any]
) -> None:
    card = card_of(served, job)
    estimate = card["selection"]["estimate"]
    assert estimate["low"] <= estimate["accuracy"] <= estimate["high"]
    assert f"{estimate['accuracy']:.3f}" in card["headline"]
    assert card["test_interval"]["low"] == estimate["low"]
    page = served[0].get(f"/models/{job['model_id']}/card.html")
    assert page.status_code == 200


def test_features_that_decide_the_class_are_found(
    served: tuple[TestClient, Bench], job: dict[str, Any]
) -> None:
    assert card_of(served, job)["metrics"]["test"]["accuracy"] > 0.7


def test_an_answer_tells_the_known_label_from_the_prediction(
    served: tuple[TestClient, Bench], job: dict[str, Any]
) -> None:
    answer = served[0].get("/predict/0", params={"model_id": job["model_id"]}).json()
    assert answer["known_label"] == "generator"
    assert (answer["answer"], answer["source"]) == ("generator", "known")
    assert answer["class"] in {"load", "generator"}
    assert max(answer["probabilities"].values()) < 1


def test_a_replay_repeats_the_schedule_bit_for_bit(
    served: tuple[TestClient, Bench], job: dict[str, Any]
) -> None:
    api, _ = served
    replay = follow(api, api.post(f"/models/{job['model_id']}/replay"))["result"]["replay"]
    assert replay["verdict"] == "bit-equal"
    assert (replay["weights_equal"], replay["predictions_equal"]) == (True, True)


@pytest.mark.parametrize(
    ("count", "split"),
    [
        (30, None),
        pytest.param(31, {"fractions": [0.3, 0.3, 0.4]}, marks=pytest.mark.long),
        pytest.param(32, {"train": [str(bus) for bus in range(1, 25)]}, marks=pytest.mark.long),
    ],
)
def test_a_downloaded_model_is_imported_with_its_card_and_replayed(
    served: tuple[TestClient, Bench], count: int, split: dict[str, Any] | None
) -> None:
    api, _ = served
    graph_id = post_graph(api, ring(count))
    body = {"graph_id": graph_id, "config": AUTO, "split": split}
    trained, other = (
        follow(api, api.post("/train", json=one))["model_id"]
        for one in (
            body,
            {"graph_id": graph_id, "config": {"method": "mlp", "epochs": 2}, "baselines": False},
        )
    )
    content = api.get(f"/models/{trained}/download").content
    before = api.get(f"/models/{trained}/card").json()
    api.post(f"/models/{other}/promote", json={"reason": "the other is deleted"})
    assert api.delete(f"/models/{trained}").status_code == 204
    made = api.post("/models/import", files={"file": ("model.safetensors", content)})
    assert made.status_code == 201, made.text
    card = api.get(f"/models/{made.json()['id']}/card").json()
    for name in ("headline", "selection", "split", "test_interval", "baselines", "data"):
        assert card[name] == before[name], name
    replay = follow(api, api.post(f"/models/{made.json()['id']}/replay"))["result"]["replay"]
    assert (replay["verdict"], replay["predictions_equal"]) == ("bit-equal", True)


def test_a_schedule_with_an_unknown_candidate_cannot_be_replayed(
    served: tuple[TestClient, Bench],
) -> None:
    def rename(_: Tensors, envelope: Envelope) -> None:
        envelope["manifest"]["selection"]["schedule"]["steps"][0]["candidate"] = "from the future"

    api, _ = served
    graph_id = post_graph(api, ring(33))
    trained = follow(api, api.post("/train", json={"graph_id": graph_id}))["model_id"]
    content = api.get(f"/models/{trained}/download").content
    other = put_model(api, graph_id, split=Split(*(np.array([bus]) for bus in range(3))))
    api.post(f"/models/{other}/promote", json={"reason": "the other is deleted"})
    assert api.delete(f"/models/{trained}").status_code == 204
    file = {"file": ("model.safetensors", rewritten(content, rename))}
    made = api.post("/models/import", files=file).json()["id"]
    replay = follow(api, api.post(f"/models/{made}/replay"))["result"]["replay"]
    assert replay["verdict"] == "not replayable"
    assert "from the future" in replay["differences"][-1]["stored"]


def test_one_label_per_class_is_enough(served: tuple[TestClient, Bench]) -> None:
    api, _ = served
    body = ring(12)
    for position, bus in enumerate(body["buses"]):
        if position not in {0, 4}:
            bus.pop("label", None)
    graph_id = post_graph(api, body)
    job = follow(api, api.post("/train", json={"graph_id": graph_id, "config": AUTO}))
    card: dict[str, Any] = api.get(f"/models/{job['model_id']}/card").json()
    assert card["selection"]["estimate"] is None
    assert "too few to compare methods" in card["headline"]


def test_settings_of_a_network_are_refused_by_name(served: tuple[TestClient, Bench]) -> None:
    api, bench = served
    config = {"method": "auto", "gamma": 0.5, "gama": 1, "budget_seconds": -1}
    refused = api.post("/train", json={"graph_id": bench.graph_id, "config": config})
    assert refused.status_code == 422
    places = {fault["where"] for fault in refused.json()["errors"]}
    assert places == {"config.gamma", "config.gama", "config.budget_seconds"}


def test_a_sweep_does_not_take_the_automatic_choice(served: tuple[TestClient, Bench]) -> None:
    api, bench = served
    body = {"graph_id": bench.graph_id, "sweep": {"grid": {"method": ["auto", "lfgcn"]}}}
    refused = api.post("/train", json=body)
    assert refused.status_code == 422
    assert "method" in refused.text


def test_a_split_keeps_its_test_buses_apart(served: tuple[TestClient, Bench]) -> None:
    api, bench = served
    body = {"graph_id": bench.graph_id, "config": AUTO, "split": {"fractions": [0.3, 0.3, 0.4]}}
    job = follow(api, api.post("/train", json=body))
    card: dict[str, Any] = api.get(f"/models/{job['model_id']}/card").json()
    assert card["selection"]["labels"] + card["metrics"]["test"]["count"] == 30
