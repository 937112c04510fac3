"""Fixtures and hooks of all tests."""

import os
import signal

from hypothesis import HealthCheck, settings

from tests.rabbitmq import rabbitmq_url
from tests.server_fixtures import postgres_server, postgres_url, valkey_server, valkey_url
from tests.skips import pytest_runtest_makereport, pytest_terminal_summary

__all__ = [
    "postgres_server",
    "postgres_url",
    "pytest_runtest_makereport",
    "pytest_terminal_summary",
    "rabbitmq_url",
    "valkey_server",
    "valkey_url",
]

# A busy machine is slow, not wrong.
settings.register_profile("levygrid", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("levygrid")

# Started in the background, a shell may have told us to ignore Ctrl-C, and the services that
# tests start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Most services that tests start run one short job: compiling ahead would cost more than it saves.
os.environ["LEVYGRID_WARM_UP"] = "false"
