"""Built-in cases of pandapower by name: a fixed list, read in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Lock

import msgspec

from app.errors import CaseUnreadable, GridRejected
from app.grid.grid import ReadGrid
from app.ingest.cases.sizes import CASE_SIZES, NET_SIZES
from app.ingest.protocol import decode_answer
from app.storage.cache import BoundedCache
from ml.errors import Fault

_ROOT = Path(__file__).resolve().parents[3]
_SECONDS = 300
_CASES_REMEMBERED = 4

_reading = Lock()
_remembered: BoundedCache[ReadGrid] = BoundedCache(_CASES_REMEMBERED)


def read_case(name: str, options: Mapping[str, str] | None = None) -> ReadGrid:
    """Return a built-in case; ``options`` are those of an upload: weight, columns, check.

    Raises: GridRejected for a name that is not on the list, CaseUnreadable.
    """
    if name not in CASE_SIZES and name not in NET_SIZES:
        known = ", ".join((*CASE_SIZES, *NET_SIZES))
        problem = f"is not a built-in case; there are {known}, and those of GET /cases"
        raise GridRejected("There is no such case.", [Fault("case", problem)])
    chosen = tuple(f"{key}={value}" for key, value in sorted((options or {}).items()))
    key = " ".join((name, *chosen))
    found = _remembered.find(key)
    if found is not None:
        return found
    with _reading:  # one at a time: each takes a processor for seconds and a lot of memory
        return _remembered.get_or_load(key, lambda: _ask_pandapower(name, chosen))


def _ask_pandapower(name: str, options: tuple[str, ...]) -> ReadGrid:
    environment = {"PYTHONPATH": str(_ROOT), "PATH": os.defpath, "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter, a name from a fixed list
            [sys.executable, "-P", "-m", "app.ingest.cases.net_reader", name, *options],
            env=environment,
            capture_output=True,
            check=True,
            stdin=subprocess.DEVNULL,
            timeout=_SECONDS,
        )
        return decode_answer(done.stdout)
    except (OSError, subprocess.SubprocessError, msgspec.MsgspecError, ValueError) as error:
        raise CaseUnreadable(f"The case {name} could not be read; try again.") from error
