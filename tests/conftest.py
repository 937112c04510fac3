"""What every test may use."""

from tests.skips import pytest_runtest_makereport, pytest_terminal_summary

__all__ = ["pytest_runtest_makereport", "pytest_terminal_summary"]
