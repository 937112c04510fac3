"""The page in Chromium, with a running service and a trained model."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.app.web.conftest import Watch
from tests.app.web.trained_service import QUICK, TrainedService

pytestmark = pytest.mark.long

_DRAWN = "#plot[data-buses='{}']"


def _open_graph(
    watch: Watch, trained: TrainedService, graph: dict[str, Any], width: int = 1280
) -> Page:
    page = watch(trained.address, width).open(f"/?graph={graph['id']}")
    page.wait_for_selector(_DRAWN.format(graph["bus_count"]))
    return page


def _count_drawn_buses(page: Page) -> int:
    count: int = page.evaluate(
        "document.getElementById('plot').data"
        ".filter((trace) => trace.customdata)"
        ".reduce((sum, trace) => sum + trace.x.length, 0)"
    )
    return count


def _find_bus_on_screen(page: Page, bus: int) -> tuple[float, float]:
    x, y = page.evaluate(
        """(bus) => {
          const plot = document.getElementById("plot");
          const trace = plot.data.find((one) => one.customdata?.includes(bus));
          const index = trace.customdata.indexOf(bus);
          const { xaxis, yaxis } = plot._fullLayout;
          const frame = plot.getBoundingClientRect();
          return [
            frame.left + xaxis._offset + xaxis.d2p(trace.x[index]),
            frame.top + yaxis._offset + yaxis.d2p(trace.y[index]),
          ];
        }""",
        bus,
    )
    return x, y


def test_a_user_loads_a_grid_trains_a_model_and_sees_its_predictions(
    watch: Watch, service: str
) -> None:
    page = watch(service).open("/")
    expect(page.locator("#map-empty")).to_contain_text("No grid yet")
    expect(page.locator("#train-button")).to_be_disabled()
    page.get_by_role("button", name="Load IEEE 118").click()
    page.wait_for_selector(_DRAWN.format(118))
    expect(page.locator("#model-details")).to_contain_text("No model for this grid yet")

    page.check("[name=method][value=lfgcn]")
    page.fill("[name=epochs]", str(QUICK["epochs"]))
    with page.expect_request("**/jobs/*/events"):
        page.click("#train-button")
    expect(page.locator(".job .state")).to_have_text(re.compile("queued|running"))
    expect(page.locator(".job progress")).to_be_visible()
    expect(page.locator(".job .state")).to_have_text("succeeded", timeout=240_000)

    expect(page.locator("#legend")).to_contain_text("generator")
    expect(page.locator("#model-details")).to_contain_text("test buses")
    expect(page.locator(".job .curve .main-svg").first).to_be_visible()
    assert _count_drawn_buses(page) == 118


def test_every_bus_is_drawn_in_the_class_of_its_answer(
    watch: Watch, trained: TrainedService
) -> None:
    page = _open_graph(watch, trained, trained.graph)
    predictions = trained.get("/predict", model_id=trained.model["id"])
    legend = page.locator("#legend")
    for code, name in enumerate(predictions["class_names"]):
        expect(legend).to_contain_text(f"{name}: {predictions['answers'].count(code)}")
    pairs = zip(predictions["classes"], predictions["truth"], strict=True)
    wrong = sum(predicted != truth for predicted, truth in pairs)
    expect(legend).to_contain_text(f"wrongly predicted: {wrong}")
    expect(legend).to_contain_text(f"training bus: {predictions['parts'].count('train')}")
    expect(legend).to_contain_text(f"label known: {predictions['sources'].count('known')}")
    assert _count_drawn_buses(page) == 118


def test_a_class_can_be_hidden_in_the_legend(watch: Watch, trained: TrainedService) -> None:
    page = _open_graph(watch, trained, trained.graph)
    answers = trained.get("/predict", model_id=trained.model["id"])["answers"]
    entry = page.locator("#legend button").nth(1)
    entry.press("Enter")
    expect(entry).to_have_attribute("aria-pressed", "false")
    page.wait_for_function(
        "(count) => document.getElementById('plot').data"
        ".filter((trace) => trace.customdata)"
        ".reduce((sum, trace) => sum + trace.x.length, 0) === count",
        arg=118 - answers.count(1),
    )


def test_a_click_on_a_bus_shows_the_prediction_of_the_api(
    watch: Watch, trained: TrainedService
) -> None:
    page = _open_graph(watch, trained, trained.graph)
    page.mouse.click(*_find_bus_on_screen(page, 58))
    expect(page.locator("#bus-name")).to_have_text("Bus 59")
    answer = trained.get("/predict/59", model_id=trained.model["id"])
    details = page.locator("#bus-details")
    expect(details).to_contain_text(f"Predicted{answer['class']}")
    expect(details).to_contain_text(f"Answer{answer['answer']} (the known label)")
    expect(details).to_contain_text(f"Known label{answer['known_label']}")
    expect(details.locator(".facts")).to_contain_text(
        {"train": "training", "validation": "validation", "test": "test"}[answer["split"]]
    )
    shares = details.locator(".share").all_inner_texts()
    assert shares == [f"{share:.1%}" for share in answer["probabilities"].values()]
    expect(details.locator(".features")).to_contain_text("Pd")


def test_a_bus_can_be_found_with_the_keyboard(watch: Watch, trained: TrainedService) -> None:
    page = _open_graph(watch, trained, trained.graph)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("118")
    page.keyboard.press("Enter")
    expect(page.locator("#bus-name")).to_have_text("Bus 118")


def test_an_unknown_bus_is_reported(watch: Watch, trained: TrainedService) -> None:
    page = _open_graph(watch, trained, trained.graph)
    page.fill("#bus-input", "4711")
    page.press("#bus-input", "Enter")
    expect(page.locator("#bus-details")).to_contain_text("has no bus “4711”")


def test_a_bus_is_found_by_a_part_of_its_alias(watch: Watch, trained: TrainedService) -> None:
    page = _open_graph(watch, trained, trained.graph)
    page.fill("#bus-input", "ex 117")
    page.press("#bus-input", "Enter")
    expect(page.locator("#bus-name")).to_have_text("Bus 118")
    page.fill("#bus-input", "ex 1")
    page.press("#bus-input", "Enter")
    page.locator("#bus-details button").first.click()
    expect(page.locator("#bus-name")).to_have_text("Bus 2")


def test_the_panel_shows_the_test_accuracy_of_the_model(
    watch: Watch, trained: TrainedService
) -> None:
    page = _open_graph(watch, trained, trained.graph)
    test = trained.model["metrics"]["test"]
    expect(page.locator("#model-details")).to_contain_text(
        f"Correct for {test['accuracy']:.1%} of {test['count']} test buses"
    )
    row = page.locator(".test-row td").all_inner_texts()
    assert row[:2] == [str(test["count"]), f"{test['accuracy']:.1%}"]


def test_a_button_promotes_a_better_baseline(watch: Watch, trained: TrainedService) -> None:
    buses = [
        {"id": str(bus), "features": {"Pd": bus % 2}, "label": ("load", "none")[bus % 2]}
        for bus in range(40)
    ]
    branches = [{"from": str(bus), "to": str((bus + 1) % 40)} for bus in range(40)]
    graph = trained.post("/graphs", {"name": "revealed", "buses": buses, "branches": branches})
    job = trained.train(graph["id"], {"epochs": 1, "learning_rate": 1e-9, "width": 1})
    beaten = trained.get(f"/models/{job['model_id']}")
    better = beaten["better_baseline"]
    page = watch(trained.address).open(f"/?graph={beaten['graph_id']}&model={beaten['id']}")
    details = page.locator("#model-details")
    expect(details.locator(".error")).to_contain_text("The button below lets it answer instead.")
    expect(details.locator(".error")).not_to_contain_text("POST")
    details.get_by_role("button", name=f"Use {better['title']} instead").click()
    expect(details.locator(".error")).to_have_count(0)
    expect(details).to_contain_text("answers GET /predict by default")
    promoted = trained.get("/predict", graph_id=beaten["graph_id"])["model_id"]
    assert promoted != beaten["id"]
    assert trained.get(f"/models/{promoted}")["promotion"] == "better on validation"


def test_a_url_with_a_deleted_model_shows_a_notice(watch: Watch, trained: TrainedService) -> None:
    page = watch(trained.address).open(f"/?graph={trained.graph['id']}&model=gone")
    expect(page.locator("#notice")).to_contain_text(
        "has no model gone: the model or its grid may have been deleted"
    )
    expect(page.locator("#model-details table")).to_be_attached()


def test_a_model_is_shown_with_its_best_baseline_and_a_link_to_its_card(
    watch: Watch, trained: TrainedService
) -> None:
    page = _open_graph(watch, trained, trained.graph)
    details = page.locator("#model-details")
    best = trained.model["best_baseline"]
    expect(details).to_contain_text(f"Best baseline on the same split: {best['title']}")
    for warning in trained.model["warnings"]:
        expect(details.locator(".error")).to_contain_text(warning.partition(" POST ")[0])
    page.click("text=Model card")
    expect(page.locator("#headline")).to_contain_text("on validation")
    expect(page.locator("svg polyline").first).to_be_attached()


def test_an_invalid_setting_shows_the_error_of_the_api(
    watch: Watch, trained: TrainedService
) -> None:
    watched = watch(trained.address)
    page = watched.open(f"/?graph={trained.graph['id']}")
    page.wait_for_selector("#plot[data-buses]")
    page.check("[name=method][value=lfgcn]")
    page.fill("[name=alpha]", "2")
    page.click("#train-button")
    expect(page.locator("#train-error")).to_contain_text("config.alpha")
    expect(page.locator("[name=alpha]")).to_have_attribute("aria-invalid", "true")
    assert len(watched.complaints) == 1
    assert "422" in watched.complaints.pop()


def test_a_grid_without_coordinates_is_drawn_and_a_failed_job_shows_its_error(
    watch: Watch, trained: TrainedService
) -> None:
    graph = trained.upload_ring("ring", 40, feature=1e300)
    job = trained.train(graph["id"], {**QUICK, "feature_scaling": "none"})
    assert job["state"] == "failed"
    page = _open_graph(watch, trained, graph)
    expect(page.locator("#map-caption")).to_contain_text("computed from the branches")
    places = page.evaluate("document.getElementById('plot').data[1]")
    assert len(set(zip(places["x"], places["y"], strict=True))) == 40
    expect(page.locator(".job .error").first).to_contain_text(job["error"]["title"])


def test_a_large_grid_is_drawn_with_webgl(watch: Watch, trained: TrainedService) -> None:
    graph = trained.upload_ring("large ring", 5001)
    page = _open_graph(watch, trained, trained.graph)
    page.select_option("#graph-choice", graph["id"])
    page.wait_for_url("**view=large*")
    page.wait_for_selector(_DRAWN.format(5001))
    types = page.evaluate("document.getElementById('plot').data.map((trace) => trace.type)")
    assert set(types) == {"scattergl"}
    expect(page.locator("#plot")).not_to_contain_text("WebGL is not supported")


def test_the_page_fits_the_width_of_a_phone(watch: Watch, trained: TrainedService) -> None:
    page = _open_graph(watch, trained, trained.graph, width=390)
    page.wait_for_load_state("networkidle")
    wider = page.evaluate(
        """() => [...document.querySelectorAll("body, body *")]
          .filter((one) => one.scrollWidth > window.innerWidth)
          .map((one) => one.outerHTML.slice(0, 200))"""
    )
    assert page.evaluate("[window.innerWidth, document.documentElement.scrollWidth]") == [
        390,
        390,
    ], wider


def test_the_documentation_shows_every_operation_without_internet(
    watch: Watch, trained: TrainedService
) -> None:
    page = watch(trained.address).open("/docs")
    page.wait_for_selector(".opblock")
    operations = [
        operation
        for path in trained.get("/openapi.json")["paths"].values()
        for operation in path
        if operation in {"get", "post", "put", "patch", "delete"}
    ]
    assert page.locator(".opblock").count() == len(operations)
    expect(page.locator(".info .title")).to_contain_text("Levygrid")
