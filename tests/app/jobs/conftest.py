"""A migrated database for job tests: every test runs on SQLite and on Postgres."""

from collections.abc import Iterator

import pytest
from sqlalchemy import delete

from app.storage.db import Database
from app.storage.migration import upgrade
from app.storage.tables import JobRow
from tests.servers import PostgresServer


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
    yield migrated
    with migrated.writing() as session:
        session.execute(delete(JobRow))
