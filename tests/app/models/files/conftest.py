"""Files of trained models, to be manipulated."""

import pytest
from starlette.testclient import TestClient

from tests.app.models.files.hostile_files import file_of


@pytest.fixture(scope="module")
def known() -> dict[str, bytes]:
    """Files by method; they are the same in every test, because nothing in them is random."""
    return {}


@pytest.fixture
def lfgcn(api: TestClient, known: dict[str, bytes]) -> bytes:
    return file_of(api, known, "lfgcn")


@pytest.fixture
def forest(api: TestClient, known: dict[str, bytes]) -> bytes:
    return file_of(api, known, "forest")
