"""The API and migrated databases, on SQLite or on SQLite and Postgres."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import delete
from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from app.storage.db import Database
from app.storage.migration import upgrade
from app.storage.tables import JobRow
from tests.servers import PostgresServer

MakeApi = Callable[[Settings], TestClient]


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty database to copy; a copy takes a tenth of the time of a migration."""
    path = tmp_path_factory.mktemp("migrated") / "levygrid.db"
    upgrade(f"sqlite:///{path}")
    return path


@pytest.fixture
def sqlite_settings(migrated_sqlite: Path, tmp_path: Path) -> Settings:
    shutil.copy(migrated_sqlite, tmp_path / "levygrid.db")
    return Settings(data_dir=tmp_path)


@pytest.fixture
def make_api() -> Iterator[MakeApi]:
    """Start an API with the given settings; it is stopped after the test."""
    started: list[TestClient] = []

    def start(settings: Settings) -> TestClient:
        client = TestClient(create_app(settings))
        started.append(client.__enter__())
        return client

    yield start
    for client in started:
        client.__exit__(None, None, None)


@pytest.fixture
def api(make_api: MakeApi, sqlite_settings: Settings) -> TestClient:
    """The API on SQLite."""
    return make_api(sqlite_settings)


@pytest.fixture(params=["sqlite", "postgres"])
def any_api(request: pytest.FixtureRequest, make_api: MakeApi, tmp_path: Path) -> TestClient:
    """The API, once on SQLite and once on Postgres."""
    if request.param == "sqlite":
        return make_api(request.getfixturevalue("sqlite_settings"))
    url: str = request.getfixturevalue("postgres_url")
    upgrade(url)
    return make_api(Settings(data_dir=tmp_path, database_url=url))


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def migrated(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Database]:
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path_factory.mktemp('jobs') / 'jobs.db'}"
    else:
        server: PostgresServer = request.getfixturevalue("postgres_server")
        url = server.make_database()
    upgrade(url)
    database = Database(url)
    yield database
    database.close()


@pytest.fixture
def database(migrated: Database) -> Iterator[Database]:
    """A migrated database without jobs, once on SQLite and once on Postgres."""
    yield migrated
    with migrated.writing() as session:
        session.execute(delete(JobRow))
