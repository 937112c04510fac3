"""Lists of buses as the split of a training request."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.app.samples import post_graph, ring
from tests.app.worker.conftest import Bench
from tests.app.worker.over_http import follow, serving


def ask(api: TestClient, split: dict[str, Any], **config: Any) -> Any:
    body = {"graph_id": post_graph(api, ring(30)), "split": split, "config": config}
    return api.post("/train", json=body)


def faults_of(answer: Any) -> dict[str, str]:
    assert answer.status_code == 422, answer.text
    return {fault["where"]: fault["problem"] for fault in answer.json()["errors"]}


def test_listed_buses_are_stored_with_the_job(api: TestClient) -> None:
    answer = ask(api, {"train": ["1", "2", "3", "4"], "test": ["5"]})
    request = api.get(answer.headers["location"]).json()["request"]
    assert request["split"] == {"kind": "lists", "train": ["1", "2", "3", "4"], "test": ["5"]}


@pytest.mark.parametrize(
    ("split", "where", "problem"),
    [
        ({"train": ["1", "nowhere"]}, "split.train", "no bus has the id 'nowhere'"),
        ({"train": []}, "split.train", "no training bus"),
        ({"test": ["1"]}, "split.train", "no training bus"),
        ({"train": ["1", "2"], "test": ["2"]}, "split.test", "bus '2' is also in train"),
        ({"train": ["1", "2"], "fractions": [0.1, 0.2, 0.7]}, "split", "not both"),
        ({"train": ["1"]}, "split.train", "one class only"),
    ],
)
def test_a_list_that_cannot_be_used_is_named(
    api: TestClient, split: dict[str, Any], where: str, problem: str
) -> None:
    assert problem in faults_of(ask(api, split))[where]


def test_every_bad_list_is_named_at_once(api: TestClient) -> None:
    faults = faults_of(ask(api, {"train": ["x"], "validation": ["y"], "test": ["z"]}))
    assert set(faults) == {"split.train", "split.validation", "split.test"}


def test_a_network_needs_buses_in_every_part(api: TestClient) -> None:
    answer = ask(api, {"train": ["1", "2"]}, method="lfgcn")
    assert "validation part is empty" in faults_of(answer)["split.validation"]


def test_the_automatic_choice_learns_the_listed_labels_only(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with serving(tmp_path_factory.mktemp("lists")) as (api, bench):
        shown = _follow_lists(api, bench)
        answers = api.get("/predict", params={"model_id": shown["model_id"]}).json()
        parts = dict(zip(answers["bus_ids"], answers["parts"], strict=True))
        assert [bus for bus, part in parts.items() if part == "train"] == ["0", "1", "2", "3", "4"]
        assert [bus for bus, part in parts.items() if part == "test"] == ["10", "11"]
        card = api.get(f"/models/{shown['model_id']}/card").json()
        assert card["split"]["kind"] == "lists"
        assert card["metrics"]["test"]["count"] == 2


def _follow_lists(api: TestClient, bench: Bench) -> dict[str, Any]:
    split = {"train": ["0", "1", "2", "3"], "validation": ["4"], "test": ["10", "11"]}
    return follow(api, api.post("/train", json={"graph_id": bench.graph_id, "split": split}))
