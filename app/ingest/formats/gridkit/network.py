"""Reader of GridKit CSV: a zip, or one file of branches and one of buses; no electrical data."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from app.errors import GridRejected
from app.grid.grid import CoordinateSystem
from app.grid.places import group_names
from app.grid.report import ReadGrid
from app.grid.text_rules import find_text_problem, replace_controls
from app.ingest.build.power_grid import build_power_grid
from app.ingest.formats.gridkit.files import (
    IDS,
    LATITUDES,
    LONGITUDES,
    GridkitFiles,
    find_column,
    read_files,
    read_tags,
)
from app.ingest.formats.guards.text_table import TextTable, read_ids
from app.ingest.protocol import Request
from app.power.tables import BusTable, GeneratorTable, PowerTables, make_plain_branches
from ml.arrays import FloatArray, IntArray
from ml.errors import Fault

_NOT_TEXTS = frozenset((*IDS, *LONGITUDES, *LATITUDES, "station_id", "tags", "geometry"))
_HIGHEST_KV = 2000.0
_ABSENT = frozenset(("Pd", "Qd", "Gs", "Bs", "Pg", "Qg", "r", "x", "b", "rating", "tap", "shift"))


def read(request: Request) -> ReadGrid:
    """Read buses and branches. Raises: GridRejected listing every fault."""
    files = read_files(request)
    faults: list[Fault] = []
    ids = read_ids(files.buses, find_column(files.buses, IDS), faults)
    place = {bus_id: position for position, bus_id in enumerate(ids)}
    ends = [
        np.column_stack([part.table.positions(name, place, faults) for name in part.columns])
        for part in files.branches
    ]
    kinds = [np.full(part.table.count, part.kind) for part in files.branches]
    plants = files.generators
    at = plants.positions(find_column(plants, ("bus_id", "bus")), place, faults)
    if not ids:
        faults.append(Fault("buses", "there are none"))
    if faults:
        raise GridRejected("The GridKit files have errors.", faults)
    power = PowerTables(
        name="GridKit grid",
        source="gridkit",
        base_mva=100.0,
        buses=_make_buses(files.buses, ids, _find_fuels(plants, at, len(ids))),
        branches=make_plain_branches(
            np.vstack(ends).astype(np.int64), np.concatenate(kinds).astype(np.int64)
        ),
        generators=_make_generators(plants, at),
        absent=_ABSENT,
        remarks=tuple(_list_remarks(files)),
    )
    return build_power_grid(power, request)


def _make_buses(buses: TextTable, ids: tuple[str, ...], fuels: Sequence[str]) -> BusTable:
    tags = read_tags(buses.texts("tags"))
    coordinates, system = _read_places(buses)
    zero, unknown = np.zeros(len(ids)), np.full(len(ids), np.nan)
    own = {name: buses.texts(name) for name in buses.names if name not in _NOT_TEXTS}
    names = tags.get("name") or (buses.texts("name") if buses.has("bus_id") else [])
    return BusTable(
        ids=ids,
        aliases=_make_alias(names),
        demand=zero,
        reactive_demand=zero,
        conductance=zero,
        susceptance=zero,
        magnitude=unknown,
        angle=unknown,
        base_kv=_read_voltages(buses.texts("voltage")),
        types=np.zeros(len(ids), dtype=np.int64),
        coordinates=coordinates,
        coordinate_system=system,
        substations=group_names(_clean(buses.texts("station_id")), "file"),
        texts={**tags, **own, "fuel": fuels},
    )


def _make_alias(names: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    clean = _clean(names)
    return {"name": tuple(clean)} if any(clean) else {}


def _clean(texts: Sequence[str]) -> list[str]:
    return ["" if find_text_problem(replace_controls(text)) else text for text in texts]


def _read_voltages(texts: Sequence[str]) -> FloatArray:
    """Return kV: the first voltage of a list; volts are converted; 0 for unknown."""
    values = {text: _read_voltage(text) for text in set(texts)}
    return np.fromiter((values[text] for text in texts), np.float64, len(texts))


def _read_voltage(text: str) -> float:
    try:
        value = float(text.partition(";")[0])
    except ValueError:
        return 0.0
    if not np.isfinite(value) or value < 0:
        return 0.0
    return value / 1e3 if value > _HIGHEST_KV else value


def _read_places(buses: TextTable) -> tuple[FloatArray, CoordinateSystem]:
    columns = [find_column(buses, names) for names in (LONGITUDES, LATITUDES)]
    places = np.column_stack([buses.numbers(name) for name in columns])
    places[~np.isfinite(places).all(axis=1)] = np.nan
    if np.isnan(places).all():
        return places, "none"
    on_earth = (np.nanmax(np.abs(places), axis=0) <= (180, 90)).all()
    return places, "geographic" if on_earth else "schematic"


def _find_fuels(plants: TextTable, at: IntArray, count: int) -> list[str]:
    """Return the technology of the largest plant at every bus, "" without a plant."""
    fuels, largest = [""] * count, np.full(count, -np.inf)
    rows = zip(at, plants.texts("technology"), plants.numbers("capacity", -1.0), strict=True)
    for bus, technology, size in rows:
        if bus >= 0 and technology and size > largest[bus]:
            fuels[bus], largest[bus] = technology, size
    return fuels


def _make_generators(plants: TextTable, at: IntArray) -> GeneratorTable:
    zero = np.zeros(plants.count)
    capacity = plants.numbers("capacity", 0.0)
    return GeneratorTable(
        buses=at,
        power=zero,
        reactive_power=zero,
        capacity=np.where(capacity > 0, capacity, 0.0),  # -1 stands for unknown
        in_service=np.ones(plants.count, dtype=np.bool_),
    )


def _list_remarks(files: GridkitFiles) -> Iterator[str]:
    if files.are_ends:
        yield "The buses are the ends of the branches."
    building = [
        int(np.count_nonzero(part.table.truths("under_construction", default=False)))
        for part in files.branches
    ]
    if sum(building):
        yield f"{sum(building):,} branches under construction are part of the grid"
