"""The pages alone, and a running service with the browser that looks at it."""

from collections.abc import Callable, Iterator

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from playwright.sync_api import BrowserContext, expect

from app.http.problem_responses import install_handlers
from app.temporary_service import run_temporary_service
from app.web import pages
from tests.app.web.trained_service import TrainedService
from tests.app.web.watched_page import WatchedPage
from tests.browser import chromium

__all__ = ["chromium"]

expect.set_options(timeout=30_000)  # a busy machine starts the reader of a file in seconds

Watch = Callable[..., WatchedPage]


@pytest.fixture
def client() -> Iterator[TestClient]:
    app = FastAPI(docs_url=None, redoc_url=None)
    install_handlers(app)
    app.include_router(pages.router)
    with TestClient(app) as client:
        yield client


@pytest.fixture(scope="package")
def service(chromium: BrowserContext) -> Iterator[str]:
    """The address of a service that is empty at first; started only where a browser is."""
    with run_temporary_service() as address:
        yield address


@pytest.fixture(scope="package")
def trained(service: str) -> Iterator[TrainedService]:
    """The same service with a trained model of IEEE 118."""
    with httpx.Client(base_url=service, timeout=120) as http:
        yield TrainedService(service, http)


@pytest.fixture
def watch(chromium: BrowserContext) -> Iterator[Watch]:
    """Open pages; after the test none may have complained or asked another host."""
    opened: list[WatchedPage] = []

    def open_page(address: str, width: int = 1280) -> WatchedPage:
        opened.append(WatchedPage(chromium, address, width))
        return opened[-1]

    yield open_page
    complaints = [complaint for watched in opened for complaint in watched.complaints]
    foreign = [request for watched in opened for request in watched.foreign_requests]
    for watched in opened:
        watched.page.close()
    assert complaints == []
    assert foreign == []
