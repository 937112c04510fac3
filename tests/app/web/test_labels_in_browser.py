"""Labels and checks on the page in Chromium: text columns, files of labels, findings."""

import re
from typing import Any

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.app.ingest.archives import PYPSA, make_zip
from tests.app.web.conftest import Watch
from tests.app.web.trained_service import TrainedService
from tests.app.web.watched_page import WatchedPage

pytestmark = pytest.mark.long

_RESULT = "#label-result"


@pytest.fixture
def grid(trained: TrainedService) -> Any:
    """A small grid with the text columns country and operator, as stored by another test or now."""
    files = {"file": ("net.zip", make_zip(PYPSA))}
    return trained.http.post("/graphs", files=files).raise_for_status().json()


def _open(watched: WatchedPage, grid: Any) -> Page:
    page = watched.open(f"/?graph={grid['id']}")
    page.wait_for_selector(f"#plot[data-buses='{grid['bus_count']}']")
    return page


def _upload(page: Page, content: str, name: str, **choices: str) -> None:
    if not page.locator("#label-form").is_visible():
        page.click("#label-file summary")
    file: FilePayload = {"name": "l.csv", "mimeType": "text/csv", "buffer": content.encode()}
    page.set_input_files("#label-form [name=file]", file)
    page.fill("#label-form [name=name]", name)
    for field, value in choices.items():
        page.select_option(f"#label-form [name={field}]", value)
    page.click("#label-button")


def test_a_text_column_becomes_a_label_with_one_click(
    watch: Watch, trained: TrainedService, grid: Any
) -> None:
    page = _open(watch(trained.address), grid)
    column = page.locator("#text-column-list li", has_text="country")
    expect(column).to_contain_text("2 values on 4 buses: DE (3), FR (1)")
    page.fill("#smallest", "2")
    page.click("[aria-label='Use country as labels']")
    result = page.locator(_RESULT)
    expect(result).to_contain_text("country is stored: 2 classes on 4 buses.")
    expect(result).to_contain_text("1 rare value is grouped: FR.")
    expect(column).to_have_count(0)
    expect(page.locator("#label-sets")).to_contain_text("DE (3), other (1)")
    expect(page.locator("#train-label")).to_have_value("country")


def test_a_kind_of_the_catalogue_is_computed_with_one_click(
    watch: Watch, trained: TrainedService, grid: Any
) -> None:
    page = _open(watch(trained.address), grid)
    page.select_option("#kind-form [name=kind]", "voltage_level")
    page.click("#kind-button")
    expect(page.locator(_RESULT)).to_contain_text("voltage_level is stored: 2 classes on 4 buses.")
    expect(page.locator("#label-sets")).to_contain_text("Hides base_kv")


def test_rows_of_a_file_are_refused_by_line_and_skipped_on_request(
    watch: Watch, trained: TrainedService, grid: Any
) -> None:
    watched = watch(trained.address)
    page = _open(watched, grid)
    content = "bus;zone\nA;x\nB;y\nnowhere;x\n"
    _upload(page, content, "zones")
    expect(page.locator(f"{_RESULT} li")).to_have_text(
        ["line 4 no bus has the id or alias 'nowhere'"]
    )
    assert all("422" in complaint for complaint in watched.complaints)
    watched.complaints.clear()
    _upload(page, content, "zones", unknown="skip")
    expect(page.locator(_RESULT)).to_contain_text("zones is stored: 2 classes on 2 buses.")
    expect(page.locator(_RESULT)).to_contain_text("line 4, skipped: no bus has the id or alias")


def test_the_form_names_the_columns_that_a_label_hides(
    watch: Watch, trained: TrainedService, grid: Any
) -> None:
    trained.http.post(f"/graphs/{grid['id']}/labels", json={"kind": "voltage_level"})
    page = _open(watch(trained.address), grid)
    expect(page.locator("#label-sets")).to_contain_text("Hides base_kv.")
    page.select_option("#train-label", "voltage_level")
    expect(page.locator("#train-hidden")).to_have_text(
        re.compile(r"Hidden from the features: base_kv \(it is the nominal voltage\)")
    )


def test_the_findings_of_the_checks_are_counted_listed_and_offered_as_csv(
    watch: Watch, trained: TrainedService
) -> None:
    page = _open(watch(trained.address), trained.graph)
    checks = trained.get(f"/graphs/{trained.graph['id']}/checks")
    expect(page.locator("#checks-summary")).to_contain_text(f"{checks['notes']} note")
    page.click("#checks-button")
    rules = page.locator("#checks-list [data-rule]")
    expect(rules).to_have_count(len(checks["results"]))
    rules.first.locator("summary").click()
    expect(rules.first).to_contain_text(checks["results"][0]["findings"][0]["message"])
    with page.expect_download() as download:
        page.click("text=Findings as CSV")
    assert download.value.path().read_text().startswith("severity,rule,")
