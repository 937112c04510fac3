import re
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from tests.app.samples import compared, post_graph, put_model, report_on, ring


@pytest.fixture
def graph_id(any_api: TestClient) -> str:
    return post_graph(any_api)


def card_of(api: TestClient, model_id: str) -> dict[str, Any]:
    answer = api.get(f"/models/{model_id}/card")
    assert answer.status_code == 200, answer.text
    card: dict[str, Any] = answer.json()
    return card


def page_of(api: TestClient, model_id: str) -> httpx2.Response:
    answer = api.get(f"/models/{model_id}/card.html")
    assert answer.status_code == 200, answer.text
    return answer


def beaten(model_id: str) -> str:
    return (
        "A baseline beats this model on validation: Forest has accuracy 0.7500 against 0.5000 "
        "(2 buses); on test 0.2500 against 0.5000. The lead is 1 bus and may be chance (sign test: "
        "p at least 1). "
        f"POST /models/{model_id}/baselines/forest/promote lets it answer instead."
    )


def test_the_headline_names_a_baseline_that_beats_the_model(
    any_api: TestClient, graph_id: str
) -> None:
    reports = compared(report_on("majority", 0.4), report_on("forest", 0.75), report_on("mlp", 0.6))
    model_id = put_model(any_api, graph_id, baselines=reports)
    card = card_of(any_api, model_id)
    assert card["headline"] == beaten(model_id)
    assert next(iter(card)) == "headline"
    assert card["best_baseline"]["title"] == "Forest"
    texts = re.findall(r">\s*([^<>\s][^<>]*)<", page_of(any_api, model_id).text.split("<body>")[1])
    assert texts[0] == beaten(model_id)


@pytest.mark.parametrize(
    ("accuracy", "doubt"),
    [
        (0.54, "The lead is 4 buses and may be chance (sign test: p at least 0.12)."),
        (0.6, None),
    ],
)
def test_a_lead_that_may_be_chance_is_called_so(
    any_api: TestClient, graph_id: str, accuracy: float, doubt: str | None
) -> None:
    reports = compared(report_on("forest", accuracy))
    model_id = put_model(any_api, graph_id, count=100, baselines=reports)
    headline = card_of(any_api, model_id)["headline"]
    assert headline.startswith("A baseline beats this model on validation: ")
    assert ("may be chance" in headline) == (doubt is not None)
    assert doubt is None or doubt in headline


def test_answers_of_a_beaten_model_contain_the_warning(any_api: TestClient, graph_id: str) -> None:
    model_id = put_model(any_api, graph_id, baselines=compared(report_on("forest", 0.75)))
    assert any_api.get("/predict/1").json()["warnings"] == [beaten(model_id)]
    assert any_api.get("/predict").json()["warnings"] == [beaten(model_id)]
    assert any_api.get(f"/models/{model_id}").json()["warnings"] == [beaten(model_id)]


@pytest.mark.parametrize(
    ("accuracy", "first_words"),
    [(0.5, "A baseline is as good as this model on"), (0.25, "No baseline beats this model on")],
)
def test_a_baseline_that_is_not_better_causes_no_warning(
    api: TestClient, accuracy: float, first_words: str
) -> None:
    reports = compared(report_on("forest", accuracy))
    model_id = put_model(api, post_graph(api), accuracy=0.5, baselines=reports)
    assert api.get("/predict/1").json()["warnings"] == []
    assert card_of(api, model_id)["headline"].startswith(first_words)


def test_macro_f1_decides_between_baselines_of_equal_accuracy(api: TestClient) -> None:
    fairer = {"count": 2, "accuracy": 0.75, "macro_f1": 0.7, "log_loss": 0.9}
    reports = compared(report_on("rule", 0.75), report_on("forest", 0.75, validation=fairer))
    card = card_of(api, put_model(api, post_graph(api), baselines=reports))
    assert card["best_baseline"]["title"] == "Forest"


def test_the_headline_of_a_model_without_baselines_states_that_none_was_measured(
    api: TestClient,
) -> None:
    card = card_of(api, put_model(api, post_graph(api)))
    assert card["headline"].startswith("No baseline was measured")
    assert card["warnings"] == []


def test_a_skipped_baseline_is_named_with_the_reason(api: TestClient) -> None:
    skipped = {"key": "gcn", "title": "GCN", "seed": 0, "skipped": "no time", "seconds": 0}
    model_id = put_model(
        api, post_graph(api), baselines=compared(skipped, report_on("forest", 0.1))
    )
    card = card_of(api, model_id)
    assert card["best_baseline"]["title"] == "Forest"
    assert any("Not compared with GCN" in limit for limit in card["limits"])
    assert "skipped: no time" in page_of(api, model_id).text


def test_test_accuracy_has_its_count_and_confidence_interval(api: TestClient) -> None:
    card = card_of(api, put_model(api, post_graph(api), accuracy=0.5))
    assert card["metrics"]["test"]["count"] == 2
    interval = card["test_interval"]
    assert (round(interval["low"], 4), round(interval["high"], 4)) == (0.0945, 0.9055)
    assert interval["confidence"] == 0.95


def test_the_card_names_data_hashes_config_and_split(api: TestClient) -> None:
    graph_id = post_graph(api)
    card = card_of(api, put_model(api, graph_id))
    assert card["data"]["graph_id"] == graph_id
    assert card["data"]["content_hash"] == api.get(f"/graphs/{graph_id}").json()["content_hash"]
    assert (card["data"]["graph_hash"], card["data"]["label_hash"]) == ("g", "l")
    assert card["split"]["hash"] == "s"
    assert card["config"] == {"alpha": 0.2}
    assert card["curves"] == {"epoch": [1, 2]}


def test_columns_that_reveal_the_label_are_listed_as_a_limit(api: TestClient) -> None:
    report = {"gives_away": ["Pd", "Qd"], "classes_too_small": [], "verdict": "a leak"}
    manifest = {"feature_names": ["Pd"], "config": {}}
    graph_id = post_graph(api)
    model_id = put_model(api, graph_id, suitability=report, manifest=manifest)
    card = card_of(api, model_id)
    assert "The model was trained on columns that reveal the label: Pd." in card["limits"]
    assert card["suitability"] == report
    assert card["warnings"] == ["The model was trained on columns that reveal the label: Pd."]
    assert api.get(f"/predict/1?model_id={model_id}").json()["warnings"] == card["warnings"]


def test_the_page_escapes_texts_of_clients_and_has_no_script(api: TestClient) -> None:
    hostile = '<script>alert("1")</script><img src=x onerror=alert(1)>'
    graph_id = post_graph(api, ring(name=hostile))
    model_id = put_model(
        api,
        graph_id,
        baselines=compared(report_on(hostile, 0.9, title=hostile, description=hostile)),
    )
    api.post(f"/models/{model_id}/promote", json={"reason": hostile})
    answer = page_of(api, model_id)
    assert "<script" not in answer.text
    assert "<img" not in answer.text
    assert "&lt;script&gt;" in answer.text
    assert "script-src 'self'" in answer.headers["content-security-policy"]


def test_every_file_and_link_of_the_page_exists(api: TestClient) -> None:
    model_id = put_model(api, post_graph(api))
    html = page_of(api, model_id).text
    links = re.findall(r'(?:src|href)="([^"]+)"', html)
    assert len(links) >= 5
    for link in links:
        found = api.get(f"/models/{model_id}/{link.replace('&amp;', '&')}")
        assert found.status_code == 200, link


@pytest.mark.parametrize("page", ["card", "card.html"])
def test_the_card_of_an_unknown_model_is_not_found(api: TestClient, page: str) -> None:
    answer = api.get(f"/models/none/{page}")
    assert answer.status_code == 404
    assert answer.json()["type"] == "/problems/model-not-found"
    assert answer.headers["content-type"] == "application/problem+json"


def test_the_card_lists_settings_without_effect(api: TestClient) -> None:
    manifest = {"config": {"method": "gcn", "members": 8}}
    model_id = put_model(api, post_graph(api), kind="gcn", manifest=manifest)
    limits = api.get(f"/models/{model_id}/card").json()["limits"]
    assert "These changed settings have no effect on GCN: members." in limits


def test_the_card_names_columns_that_the_label_hides_and_warns_of_used_ones(
    any_api: TestClient, graph_id: str
) -> None:
    manifest = {
        "feature_names": ["Pd", "V"],
        "hidden_columns": {
            "base_kv": "it is the nominal voltage",
            "kv": "it is the nominal voltage",
        },
        "revealed_columns": {"V": "it is the nominal voltage"},
    }
    card = card_of(any_api, put_model(any_api, graph_id, manifest=manifest))
    assert card["data"]["hidden"] == manifest["hidden_columns"]
    assert (
        "Columns that give the label away were hidden from the features: base_kv, kv (it is the "
        "nominal voltage)." in card["limits"]
    )
    assert card["warnings"] == ["The model was trained on columns that reveal the label: V."]
