"""Uploads on the page in Chromium: the import report, or every fault."""

import re

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.app.ingest.requests import SMALL_CASE
from tests.app.web.conftest import Watch
from tests.app.web.trained_service import TrainedService

pytestmark = pytest.mark.long

_FORM = "#upload-form"
_RESULT = "#upload-result"


def _settle(page: Page, buses: int = 118) -> None:
    """Wait until the page has found the view of the grid it shows."""
    page.wait_for_selector(f"#plot[data-buses='{buses}']")


def _upload(page: Page, name: str, content: str, **fields: str) -> None:
    file: FilePayload = {"name": name, "mimeType": "text/plain", "buffer": content.encode()}
    page.set_input_files(f"{_FORM} [name=file]", file)
    for field, value in fields.items():
        page.select_option(f"{_FORM} [name={field}]", value)
    page.click("#upload-button")


def test_an_uploaded_grid_is_stored_and_its_report_shown(
    watch: Watch, trained: TrainedService
) -> None:
    page = watch(trained.address).open(f"/?graph={trained.graph['id']}")
    _settle(page)
    _upload(page, "notes.txt", SMALL_CASE)
    result = page.locator(_RESULT)
    expect(result).to_contain_text("notes is stored")
    for words in (
        "matpower",
        "3 (2 line, 1 transformer)",
        "Self-loops dropped",
        "1: 1-2",
        "Pd (MW)",
    ):
        expect(result).to_contain_text(words)
    _settle(page, 3)
    expect(page.locator("#graph-choice option:checked")).to_have_text("notes (3 buses)")
    expect(page.locator("#train-label option")).to_have_count(4)


def test_the_report_is_shown_after_a_change_of_view(watch: Watch, trained: TrainedService) -> None:
    large = trained.upload_ring("large ring", 5001)
    page = watch(trained.address).open(f"/?graph={large['id']}&view=large")
    _settle(page, 5001)
    _upload(page, "notes.txt", SMALL_CASE)
    _settle(page, 3)
    expect(page.locator(_RESULT)).to_contain_text("notes is stored")
    expect(page.locator(_RESULT)).to_contain_text("3 (2 line, 1 transformer)")


def test_columns_that_are_not_imported_are_listed_with_their_cells(
    watch: Watch, trained: TrainedService
) -> None:
    page = watch(trained.address).open(f"/?graph={trained.graph['id']}")
    _settle(page)
    buses = "id,load\n1,1O\n2,\n3,4\n"
    second: FilePayload = {"name": "b.csv", "mimeType": "text/csv", "buffer": buses.encode()}
    page.set_input_files(f"{_FORM} [name=buses]", second)
    _upload(page, "branches.csv", "source,target\n1,2\n2,3\n")
    row = "load (not a number in 2: buses line 2: '1O', buses line 3: empty)"
    expect(page.locator(_RESULT)).to_contain_text(row)


def test_every_fault_of_a_file_is_listed(watch: Watch, trained: TrainedService) -> None:
    watched = watch(trained.address)
    page = watched.open(f"/?graph={trained.graph['id']}")
    _settle(page)
    broken = SMALL_CASE.replace("\t50\t", "\tfifty\t").replace("\t250\t250", "\tx\t250", 1)
    _upload(page, "small.m", broken)
    faults = page.locator(f"{_RESULT} li")
    expect(faults).to_have_text(
        [re.compile("mpc.bus row 2 'fifty' is not a number"), re.compile("mpc.branch row 1 'x'")]
    )
    _upload(page, "small.m", SMALL_CASE, format="csv")
    expect(faults).to_have_text(
        [re.compile("file line 1 lacks the column"), re.compile("the file looks like matpower")]
    )
    assert len(watched.complaints) == 2
    assert all("422" in complaint for complaint in watched.complaints)
    watched.complaints.clear()
