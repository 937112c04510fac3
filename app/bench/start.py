"""Time from ``levygrid serve`` to its first answer, beside merely importing its libraries."""

import statistics
import subprocess
import sys
import time
from typing import Any

from app.temporary_service import run_temporary_service

_REPEATS = 5
_LIBRARIES = "import alembic, fastapi, numpy, scipy.sparse, sqlalchemy.orm, uvicorn"


def run(repeats: int = _REPEATS) -> dict[str, Any]:
    """Start the service on an empty folder several times; ``ratio`` is against the imports."""
    imports = statistics.median(_time_imports() for _ in range(repeats))
    start = statistics.median(_time_start() for _ in range(repeats))
    return {
        "rows": [
            {"what": "import the libraries", "seconds": round(imports, 2)},
            {"what": "migrate and answer", "seconds": round(start, 2)},
        ],
        "seconds": round(start, 2),
        "ratio": round(start / imports, 2),
    }


def _time_imports() -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", _LIBRARIES], check=True)  # noqa: S603 - our own words
    return time.perf_counter() - started


def _time_start() -> float:
    started = time.perf_counter()
    with run_temporary_service():
        return time.perf_counter() - started
