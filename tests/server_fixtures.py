"""Fixtures of real servers; a URL in the environment replaces the server."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers import PostgresServer, ValkeyServer


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    """A Postgres server for the whole run."""
    server = PostgresServer(tmp_path_factory.mktemp("postgres"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def postgres_url(request: pytest.FixtureRequest) -> str:
    """The address of an empty Postgres database; LEVYGRID_TEST_POSTGRES_URL must name one."""
    given = os.environ.get("LEVYGRID_TEST_POSTGRES_URL")
    if given:
        return given
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return server.make_database()


@pytest.fixture
def valkey_server(tmp_path: Path) -> Iterator[ValkeyServer]:
    """A Valkey server of one test."""
    server = ValkeyServer(tmp_path)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def valkey_url(valkey_server: ValkeyServer) -> str:
    """The address of a broker without messages."""
    return valkey_server.url
