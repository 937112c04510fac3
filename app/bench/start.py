"""Start-up time of ``levygrid serve``, compared with importing its libraries."""

import statistics
import subprocess
import sys
import time
from typing import Any

from app.temporary_service import run_temporary_service

_REPEATS = 5
_LIBRARIES = "import alembic, fastapi, numpy, scipy.sparse, sqlalchemy.orm, uvicorn"


def run(repeats: int = _REPEATS) -> dict[str, Any]:
    """Start the service on an empty folder several times; ``ratio`` is start / imports."""
    imports = statistics.median(_time_imports() for _ in range(repeats))
    start = statistics.median(_time_start() for _ in range(repeats))
    return {
        "rows": [
            {"what": "import the libraries", "seconds": round(imports, 2)},
            {"what": "start the service", "seconds": round(start, 2)},
        ],
        "seconds": round(start, 2),
        "ratio": round(start / imports, 2),
    }


def _time_imports() -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", _LIBRARIES], check=True)  # noqa: S603 - a constant
    return time.perf_counter() - started


def _time_start() -> float:
    started = time.perf_counter()
    with run_temporary_service():
        return time.perf_counter() - started
