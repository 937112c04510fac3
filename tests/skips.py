"""Lists skipped tests at the end of a run; in CI a skip is a failure, except for CUDA."""

import os
from collections import Counter
from collections.abc import Generator

import pytest


def _skipping_is_allowed(item: pytest.Item) -> bool:
    in_ci = os.environ.get("CI", "").lower() in {"1", "true"}
    return not in_ci or item.get_closest_marker("cuda") is not None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and not _skipping_is_allowed(item):
        report.outcome = "failed"
        report.longrepr = f"CI must not skip: {_reason(report)}"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reasons = Counter(_reason(report) for report in terminalreporter.stats.get("skipped", []))
    if reasons:
        listed = "; ".join(f"{reason} ({count})" for reason, count in sorted(reasons.items()))
        terminalreporter.write_line(f"NOT TESTED ON THIS MACHINE: {listed}", red=True, bold=True)


def _reason(report: pytest.TestReport) -> str:
    if isinstance(report.longrepr, tuple):
        return report.longrepr[2].removeprefix("Skipped: ")
    return str(report.longrepr)
