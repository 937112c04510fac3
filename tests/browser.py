"""A real Chromium for tests of pages; they are skipped if it is not installed."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def chromium() -> Iterator[BrowserContext]:
    """Start the machine's Chromium once; its pages share a cache."""
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        pytest.skip("no Chromium: install the Debian package chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(_FLAGS))
        yield browser.new_context()
        browser.close()
