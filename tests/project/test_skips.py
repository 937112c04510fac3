"""The rule that CI skips nothing, tried on a small suite of its own."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

RunSuite: TypeAlias = Callable[..., subprocess.CompletedProcess[str]]

ROOT = Path(__file__).parents[2]
SUITE = """
import pytest

def test_that_needs_a_server():
    pytest.skip("no server")

@pytest.mark.cuda
def test_that_needs_a_gpu():
    pytest.skip("no GPU")
"""


@pytest.fixture
def run_suite(tmp_path: Path) -> RunSuite:
    (tmp_path / "conftest.py").write_text(
        "from tests.skips import pytest_runtest_makereport, pytest_terminal_summary\n"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = cuda\n")
    (tmp_path / "test_suite.py").write_text(SUITE)

    def run(**environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(tmp_path)],
            cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT), **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_outside_ci_skips_are_listed_in_one_line(run_suite: RunSuite) -> None:
    finished = run_suite()
    assert finished.returncode == 0
    assert "NOT TESTED ON THIS MACHINE: no GPU (1); no server (1)" in finished.stdout


def test_a_skip_is_a_failure_in_ci_unless_it_needs_cuda(run_suite: RunSuite) -> None:
    finished = run_suite(CI="true")
    assert finished.returncode == 1
    assert "CI must not skip: no server" in finished.stdout
    assert "1 failed, 1 skipped" in finished.stdout
