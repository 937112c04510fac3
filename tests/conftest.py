"""What every test may use."""

from tests.server_fixtures import postgres_server, postgres_url, valkey_server, valkey_url
from tests.skips import pytest_runtest_makereport, pytest_terminal_summary

__all__ = [
    "postgres_server",
    "postgres_url",
    "pytest_runtest_makereport",
    "pytest_terminal_summary",
    "valkey_server",
    "valkey_url",
]
