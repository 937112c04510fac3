"""Files of the automatic choice: imported with their evidence, rejected with every fault."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from tests.app.models.files.hostile_files import Envelope, Tensors, file_of, refuse, rewritten
from tests.app.models.real_models import AUTO, post_ring, put_trained

Change = Callable[[Tensors, Envelope], None]
PLACE = "manifest.selection"


@pytest.fixture
def choice(api: TestClient, known: dict[str, bytes]) -> bytes:
    return file_of(api, known, AUTO)


def import_again(api: TestClient) -> tuple[str, str]:
    """Download a choice, delete it and import its file; return both ids."""
    graph_id = post_ring(api)
    model_id = put_trained(api, graph_id, AUTO)
    content = api.get(f"/models/{model_id}/download").content
    other = put_trained(api, graph_id, "majority")
    api.post(f"/models/{other}/promote", json={"reason": "stays"})
    before = api.get(f"/models/{model_id}/card").json()
    kept = {"card": before, "predictions": api.get(f"/predict?model_id={model_id}").json()}
    assert api.delete(f"/models/{model_id}").status_code == 204
    made = api.post("/models/import", files={"file": ("x.safetensors", content)})
    assert made.status_code == 201, made.text
    imported: str = made.json()["id"]
    card = api.get(f"/models/{imported}/card").json()
    assert api.get(f"/models/{imported}/card.html").status_code == 200
    for name in ("headline", "selection", "split", "test_interval", "limits", "config", "data"):
        expected = kept["card"][name]
        if name == "data":
            expected = expected | {"label_definition": card["data"]["label_definition"]}
        assert card[name] == expected, name
    for part, figures in kept["card"]["metrics"].items():
        assert card["metrics"][part] == pytest.approx(figures, rel=1e-4), part
    answers = api.get(f"/predict?model_id={imported}").json()
    for name in ("classes", "probabilities", "truth", "parts"):
        assert answers[name] == kept["predictions"][name], name
    return model_id, imported


def test_an_imported_choice_shows_the_same_card_and_gives_the_same_answers(
    api: TestClient,
) -> None:
    model_id, imported = import_again(api)
    origin = api.get(f"/models/{imported}/card").json()["model"]["origin"]
    assert origin["model_id"] == model_id
    assert "a replay checks those" in origin["predictions"]


def entry(*path: str | int, value: Any) -> Change:
    """Set a value inside ``selection``."""

    def change(_: Tensors, envelope: Envelope) -> None:
        place: Any = envelope["manifest"]["selection"]
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value

    return change


def drop(name: str) -> Change:
    def change(_: Tensors, envelope: Envelope) -> None:
        del envelope["manifest"][name]

    return change


def manifest(name: str, value: Any) -> Change:
    def change(_: Tensors, envelope: Envelope) -> None:
        envelope["manifest"][name] = value

    return change


def array(name: str, make: Callable[[Any], Any]) -> Change:
    def change(tensors: Tensors, _: Envelope) -> None:
        tensors[name] = make(tensors[name])

    return change


def remove_scores(tensors: Tensors, _: Envelope) -> None:
    del tensors[next(name for name in tensors if name.startswith("members.0."))]


def add_member_array(tensors: Tensors, _: Envelope) -> None:
    tensors["members.9.scores"] = np.zeros(3)


STEP = {"candidate": "forest", "repeats": 1, "seconds": 0.1}
CHANGES: list[tuple[Change, str, str]] = [
    (drop("selection"), PLACE, "is missing"),
    (manifest("format", "levygrid-model-1"), "manifest.format", "levygrid-model-2"),
    (manifest("split_request", {"kind": "mine"}), "manifest.split_request.kind", "Input should"),
    (entry("reason", value=7), f"{PLACE}.reason", "valid string"),
    (entry("reason", value="x" * 501), f"{PLACE}.reason", "at most 500"),
    (entry("labels", value=3), f"{PLACE}.labels", "the split has 11"),
    (entry("folds", value=10**6), f"{PLACE}.folds", "less than or equal to 100"),
    (entry("unknown", value=1), f"{PLACE}.unknown", "not permitted"),
    (entry("estimate", "accuracy", value=1.5), f"{PLACE}.estimate.accuracy", "less than"),
    (entry("estimate", "accuracy", value="0.5"), f"{PLACE}.estimate.accuracy", "valid number"),
    (entry("estimate", "accuracy", value=float("nan")), "levygrid", "NaN is not JSON"),
    (entry("estimate", "low", value=1.0), f"{PLACE}.estimate", "outside its interval"),
    (entry("estimate", value=None), f"{PLACE}.estimate", "choice with folds"),
    (entry("members", value=[]), f"{PLACE}.members", "at least 1"),
    (entry("members", 0, "weight", value=0.5), f"{PLACE}.members", "sum to one"),
    (entry("members", 0, "weight", value=-1), f"{PLACE}.members.0.weight", "greater than 0"),
    (entry("members", 0, "title", value="x" * 301), f"{PLACE}.members.0.title", "at most 300"),
    (entry("members", 0, "family", value="pickle"), f"{PLACE}.members.0.family", "Input should"),
    (entry("members", 0, "key", value="other"), f"{PLACE}.candidates", "not the members"),
    (entry("candidates", value=[1]), f"{PLACE}.candidates.0", "valid dictionary"),
    (entry("candidates", 0, "status", value="x" * 301), f"{PLACE}.candidates.0.status", "at most"),
    (entry("schedule", "repeats", value=9), f"{PLACE}.schedule", "not those of the selection"),
    (entry("schedule", "steps", value=[]), f"{PLACE}.schedule.steps", "at least 1"),
    (entry("schedule", "steps", value=[STEP] * 2001), f"{PLACE}.schedule.steps", "at most 2000"),
    (array("held_out", lambda rows: rows[:-1].copy()), "held_out", "expected (11, 3)"),
    (array("held_out", lambda rows: rows * 2), "held_out", "not a distribution"),
    (array("refitted", lambda rows: -rows), "refitted", "not a distribution"),
    (array("refitted", lambda rows: rows.astype(np.float32)), "refitted", "expected float64"),
    (array("refitted", lambda rows: rows[:, ::-1].copy()), "predictions", "from those computed"),
    (array("refitted", lambda rows: rows * np.nan), "refitted", "not finite"),
    (add_member_array, "members.9.scores", "is not an array of such a model"),
]


@pytest.mark.parametrize(("change", "where", "words"), CHANGES)
def test_a_manipulated_choice_is_rejected(
    api: TestClient, choice: bytes, change: Change, where: str, words: str
) -> None:
    assert words in refuse(api, rewritten(choice, change))[where]


def test_a_choice_without_an_array_of_a_member_is_rejected(api: TestClient, choice: bytes) -> None:
    faults = refuse(api, rewritten(choice, remove_scores))
    assert any(where.startswith("members.0.") for where in faults)


@pytest.mark.parametrize("value", [[0] * 101, {"b": 1}, "x" * 201, [[1]]])
def test_a_setting_of_a_member_is_a_bounded_value_or_list(
    api: TestClient, choice: bytes, value: Any
) -> None:
    change = entry("members", 0, "settings", value={"a": value})
    faults = refuse(api, rewritten(choice, change))
    assert all(where.startswith(f"{PLACE}.members.0.settings.a") for where in faults)


def test_faults_of_the_evidence_and_the_arrays_are_reported_together(
    api: TestClient, choice: bytes
) -> None:
    def spoil(tensors: Tensors, envelope: Envelope) -> None:
        add_member_array(tensors, envelope)
        tensors["held_out"] *= 2
        envelope["manifest"]["selection"]["labels"] = 1
        envelope["manifest"]["selection"]["members"][0]["weight"] = 0.5
        envelope["manifest"]["split"]["validation"] = [11]

    faults = refuse(api, rewritten(choice, spoil))
    expected = {"members.9.scores", "held_out", f"{PLACE}.labels", f"{PLACE}.members"}
    assert expected | {"manifest.split"} <= set(faults)


def test_the_second_format_is_for_the_automatic_choice_only(
    api: TestClient, lfgcn: bytes, choice: bytes
) -> None:
    def change(_: Tensors, envelope: Envelope) -> None:
        envelope["manifest"]["format"] = "levygrid-model-2"

    assert "automatic choice" in refuse(api, rewritten(lfgcn, change))["manifest.format"]
    assert choice


def test_a_method_of_a_member_that_does_not_exist_is_rejected(
    api: TestClient, choice: bytes
) -> None:
    def tabular(_: Tensors, envelope: Envelope) -> None:
        envelope["manifest"]["selection"]["members"][0] |= {"family": "tabular", "method": "x"}

    def network(_: Tensors, envelope: Envelope) -> None:
        envelope["manifest"]["selection"]["members"][0] |= {"family": "network", "method": "x"}

    where = f"{PLACE}.members.0.method"
    assert "forest" in refuse(api, rewritten(choice, tabular))[where]
    assert "not a network" in refuse(api, rewritten(choice, network))[where]


def test_wrong_settings_of_a_network_that_is_a_member_are_named(
    api: TestClient, choice: bytes
) -> None:
    def change(_: Tensors, envelope: Envelope) -> None:
        envelope["manifest"]["selection"]["members"][0] |= {
            "family": "network",
            "method": "lfgcn",
            "settings": {"alpha": 7, "gamma": [1], "stops": [25], "unknown": 1, "self": 1},
        }

    faults = refuse(api, rewritten(choice, change))
    settings = {where.rpartition(".")[2] for where in faults if ".settings." in where}
    assert settings == {"alpha", "gamma", "unknown", "self"}
