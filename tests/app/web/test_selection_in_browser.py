"""The automatic choice on the page: trained without settings, explained, known labels ringed."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.app.web.conftest import Watch
from tests.app.web.trained_service import TrainedService

pytestmark = pytest.mark.long

_RINGS = """document.getElementById('plot').data.find((trace) => trace.name === 'known').x.length"""


@pytest.fixture(scope="module")
def graph(trained: TrainedService) -> Any:
    """IEEE 118 with the roles of every third bus."""
    query = f"/graphs/{trained.graph['id']}/export/json"
    body = trained.get(query, label="role")
    for position, bus in enumerate(body["buses"]):
        if position % 3:
            bus.pop("label", None)
    return trained.post("/graphs", body | {"name": "a third known"})


@pytest.fixture(scope="module")
def card(trained: TrainedService, graph: Any) -> Any:
    model_id = trained.train(graph["id"], {})["model_id"]
    return trained.get(f"/models/{model_id}/card")


def open_graph(watch: Watch, trained: TrainedService, graph: Any, width: int = 1280) -> Page:
    page = watch(trained.address, width).open(f"/?graph={graph['id']}")
    page.wait_for_selector("#plot[data-buses='118']")
    return page


def test_the_form_trains_without_settings_and_the_job_names_the_candidate(
    watch: Watch, trained: TrainedService
) -> None:
    graph = trained.upload_ring("for the form", 60)
    page = watch(trained.address).open(f"/?graph={graph['id']}")
    page.wait_for_selector("#plot[data-buses='60']")
    expect(page.get_by_label("Automatic choice")).to_be_checked()
    expect(page.locator("[name=alpha]")).to_be_hidden()
    with page.expect_request("**/train") as sent:
        page.click("#train-button")
    assert sent.value.post_data_json == {"graph_id": graph["id"], "label": "label"}
    job = page.locator(".job").first
    expect(job).to_contain_text(re.compile(r"Trying .+ \(\d+ of \d+\)|Refitted on all"))
    expect(job.locator(".state")).to_have_text("succeeded", timeout=240_000)
    expect(job).to_contain_text("Refitted on all known labels.")
    expect(page.locator("#model-details")).to_contain_text("expected accuracy")


def test_the_settings_of_lfgcn_appear_when_it_is_chosen(
    watch: Watch, trained: TrainedService, graph: Any
) -> None:
    watched = watch(trained.address)
    page = watched.open(f"/?graph={graph['id']}")
    page.wait_for_selector("#plot[data-buses='118']")
    page.get_by_label("LFGCN with these settings").check()
    expect(page.locator("[name=alpha]")).to_be_visible()
    expect(page.locator("#train-hint")).to_contain_text("10% of the labelled buses")
    page.fill("[name=alpha]", "2")
    with page.expect_request("**/train") as sent:
        page.click("#train-button")
    config: Any = (sent.value.post_data_json or {})["config"]
    assert (config["method"], config["alpha"]) == ("lfgcn", 2)
    expect(page.locator("#train-error")).to_contain_text("config.alpha")
    assert "422" in watched.complaints.pop()


def test_the_panel_shows_what_to_expect_what_was_chosen_and_the_best_candidates(
    watch: Watch, trained: TrainedService, graph: Any, card: Any
) -> None:
    details = open_graph(watch, trained, graph).locator("#model-details")
    estimate = card["selection"]["estimate"]
    expect(details.locator(".expected")).to_have_text(
        f"{estimate['accuracy']:.1%}expected accuracy on buses without a label "
        f"(95% interval {estimate['low']:.1%} to {estimate['high']:.1%})"
    )
    expect(details.locator(".choice-headline")).to_have_text(card["headline"])
    members = card["selection"]["members"]
    for member in members:
        expect(details.locator(".members")).to_contain_text(member["title"])
    rows = details.locator(".candidates tbody tr")
    expect(rows).to_have_count(5)
    chosen = details.locator(".candidates .chosen th").all_inner_texts()
    assert sorted(chosen) == sorted(member["key"] for member in members)


def test_known_buses_have_a_ring_that_the_legend_explains(
    watch: Watch, trained: TrainedService, graph: Any, card: Any
) -> None:
    page = open_graph(watch, trained, graph)
    predictions = trained.get("/predict", model_id=card["model"]["id"])
    assert predictions["sources"].count("known") == 40
    expect(page.locator("#legend")).to_contain_text("label known: 40")
    expect(page.locator("#legend")).not_to_contain_text("training bus")
    page.wait_for_function(f"{_RINGS} === 40")
    page.get_by_role("button", name="label known: 40").click()
    page.wait_for_function(f"{_RINGS} === 0")


def test_rings_around_all_buses_are_off_at_first(watch: Watch, trained: TrainedService) -> None:
    page = open_graph(watch, trained, trained.graph)
    entry = page.get_by_role("button", name="label known: 118")
    expect(entry).to_have_attribute("aria-pressed", "false")
    assert page.evaluate(_RINGS) == 0


@pytest.mark.parametrize(("bus", "source"), [("1", "known"), ("2", "predicted")])
def test_the_bus_panel_tells_the_known_label_from_the_prediction(
    watch: Watch, trained: TrainedService, graph: Any, card: Any, bus: str, source: str
) -> None:
    page = open_graph(watch, trained, graph)
    page.fill("#bus-input", bus)
    page.press("#bus-input", "Enter")
    answer = trained.get(f"/predict/{bus}", model_id=card["model"]["id"])
    assert answer["source"] == source
    facts = page.locator("#bus-details .facts")
    shown = "(the known label)" if source == "known" else "(predicted,"
    expect(facts).to_contain_text(f"Answer{answer['answer']} {shown}")
    expect(facts).to_contain_text(f"Predicted{answer['class']}")
    expect(facts).to_contain_text(f"Known label{answer['known_label'] or 'none'}")
    if source == "known":
        expect(facts).to_contain_text("comes from models that did not see it")


def test_the_card_page_lists_the_best_candidates_and_folds_away_the_others(
    watch: Watch, trained: TrainedService, graph: Any, card: Any
) -> None:
    page = open_graph(watch, trained, graph)
    page.click("text=Model card")
    expect(page.locator("#headline")).to_have_text(card["headline"])
    expect(page.locator(".model-card > .candidates tbody tr")).to_have_count(8)
    every = page.locator("details .candidates tbody tr")
    expect(every).to_have_count(len(card["selection"]["candidates"]))
    expect(every.first).to_be_hidden()
    page.click("summary")
    expect(every.first).to_be_visible()
    expect(page.locator("main")).to_contain_text(card["selection"]["members"][0]["title"])


def test_the_page_of_a_choice_fits_the_width_of_a_phone(
    watch: Watch, trained: TrainedService, graph: Any, card: Any
) -> None:
    page = open_graph(watch, trained, graph, width=390)
    expect(page.locator(".choice-headline")).to_have_text(card["headline"])
    assert page.evaluate("document.documentElement.scrollWidth") == 390
