"""A running service for the examples in documents."""

from collections.abc import Iterator

import httpx
import pytest

from app.temporary_service import run_temporary_service


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with (
        run_temporary_service() as address,
        httpx.Client(base_url=address, timeout=120) as client,
    ):
        yield client
