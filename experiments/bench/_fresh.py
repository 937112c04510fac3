"""Runs a measurement in a fresh interpreter, so that none uses the caches of another."""

import json
import os
import subprocess
import sys
from typing import Any


def run_fresh(module: str, *arguments: str, **environment: str) -> dict[str, Any]:
    """Run a module with arguments and environment variables; return the JSON that it prints."""
    finished = subprocess.run(  # noqa: S603  # our own module, no shell
        [sys.executable, "-m", module, *arguments],
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
        text=True,
    )
    row: dict[str, Any] = json.loads(finished.stdout)
    return row
