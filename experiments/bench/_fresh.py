"""Measurements in an interpreter of their own, so that none finds what another left behind."""

import json
import os
import subprocess
import sys
from typing import Any


def run_fresh(module: str, *arguments: str, **environment: str) -> dict[str, Any]:
    """Run a module of ours with arguments and changed variables; return the JSON it prints."""
    answer = subprocess.run(  # noqa: S603  # our own module, no shell
        [sys.executable, "-m", module, *arguments],
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
        text=True,
    )
    row: dict[str, Any] = json.loads(answer.stdout)
    return row
