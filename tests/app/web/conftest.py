"""The pages alone, as the service mounts them."""

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.problem_responses import install_handlers
from app.web import pages


@pytest.fixture
def client() -> Iterator[TestClient]:
    app = FastAPI(docs_url=None, redoc_url=None)
    install_handlers(app)
    app.include_router(pages.router)
    with TestClient(app) as client:
        yield client
