"""A user's own file on the page: what became of it, or everything that is wrong with it."""

import re

from playwright.sync_api import FilePayload, Page, expect

from tests.app.ingest.requests import SMALL_CASE
from tests.app.web.conftest import Watch

_FORM = "#upload-form"
_RESULT = "#upload-result"


def _upload(page: Page, name: str, content: str, **fields: str) -> None:
    file: FilePayload = {"name": name, "mimeType": "text/plain", "buffer": content.encode()}
    page.set_input_files(f"{_FORM} [name=file]", file)
    for field, value in fields.items():
        page.select_option(f"{_FORM} [name={field}]", value)
    page.click("#upload-button")


def test_a_file_is_stored_shown_and_reported(watch: Watch, service: str) -> None:
    page = watch(service).open("/")
    _upload(page, "notes.txt", SMALL_CASE)
    result = page.locator(_RESULT)
    expect(result).to_contain_text("small is stored")
    for words in (
        "matpower",
        "3 (2 line, 1 transformer)",
        "Self-loops dropped",
        "1: 1-2",
        "Pd (MW)",
    ):
        expect(result).to_contain_text(words)
    page.wait_for_selector("#plot[data-buses='3']")
    expect(page.locator("#graph-choice option:checked")).to_have_text("small (3 buses)")
    expect(page.locator("#train-label option")).to_have_count(4)


def test_columns_that_are_not_kept_are_told_with_their_cells(watch: Watch, service: str) -> None:
    page = watch(service).open("/")
    buses = "id,load\n1,1O\n2,\n3,4\n"
    second: FilePayload = {"name": "b.csv", "mimeType": "text/csv", "buffer": buses.encode()}
    page.set_input_files(f"{_FORM} [name=buses]", second)
    _upload(page, "branches.csv", "source,target\n1,2\n2,3\n")
    told = "load (not a number in 2: buses line 2: '1O', buses line 3: empty)"
    expect(page.locator(_RESULT)).to_contain_text(told)


def test_every_fault_of_a_file_is_listed(watch: Watch, service: str) -> None:
    watched = watch(service)
    page = watched.open("/")
    broken = SMALL_CASE.replace("\t50\t", "\tfifty\t").replace("\t250\t250", "\tx\t250", 1)
    _upload(page, "small.m", broken)
    faults = page.locator(f"{_RESULT} li")
    expect(faults).to_have_text(
        [re.compile("mpc.bus row 2 'fifty' is not a number"), re.compile("mpc.branch row 1 'x'")]
    )
    _upload(page, "small.m", SMALL_CASE, format="csv")
    expect(page.locator(f"{_RESULT} .error")).to_contain_text("CSV")
    assert len(watched.complaints) == 2
    assert all("422" in complaint for complaint in watched.complaints)
    watched.complaints.clear()
