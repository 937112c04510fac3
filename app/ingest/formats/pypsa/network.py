"""Reader of PyPSA networks: bus ids are PyPSA's names; the state is that of the first snapshot."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from app.errors import GridRejected
from app.grid.grid import CoordinateSystem
from app.grid.places import group_names
from app.grid.report import ReadGrid, SourceNotes
from app.ingest.build.power_grid import build_power_grid
from app.ingest.formats.guards.text_table import TextTable, read_ids
from app.ingest.formats.pypsa.branches import BASE_MVA, PypsaBranches, read_branches
from app.ingest.formats.pypsa.csv_folder import read_csv_folder
from app.ingest.formats.pypsa.netcdf import read_netcdf
from app.ingest.formats.pypsa.source import PypsaParts
from app.ingest.protocol import Request
from app.power.tables import BusTable, GeneratorTable, PowerTables, sum_by_bus
from ml.arrays import FloatArray, IntArray
from ml.errors import Fault

_ZIP = b"PK\x03\x04"
_WGS84 = 4326
_LEAST_SRID, _MOST_SRID = 1000, 999_999
_TYPES = {"PV": 1, "Slack": 2}
_NUMBER_COLUMNS = frozenset(("v_nom", "x", "y", "v_mag_pu_set", "v_mag_pu_min", "v_mag_pu_max"))
_SUBSTATIONS = ("substation", "substation_id", "station_id")
_NOT_TEXTS = frozenset(("name", "generator", *_SUBSTATIONS)) | _NUMBER_COLUMNS


def read(request: Request) -> ReadGrid:
    """Read a network. Raises: GridRejected listing every fault."""
    content = request.files["file"]
    limit = max(request.limits.buses, request.limits.branches)
    read_parts = read_csv_folder if content.startswith(_ZIP) else read_netcdf
    parts = read_parts(content, limit)
    buses = parts.table("buses")
    faults: list[Fault] = [] if buses.count else [Fault("buses", "there are none")]
    ids = read_ids(buses, "name", faults)
    place = {bus_id: position for position, bus_id in enumerate(ids)}
    base_kv = buses.numbers("v_nom", 1.0)
    branches = read_branches(parts, place, base_kv, faults)
    at = {
        name: parts.table(name).positions("bus", place, faults)
        for name in ("loads", "generators", "storage_units", "shunt_impedances")
    }
    if faults:
        raise GridRejected("The PyPSA network has errors.", faults)
    tables = PowerTables(
        name=parts.name or "PyPSA network",
        source="pypsa",
        base_mva=BASE_MVA,
        buses=_make_buses(parts, ids, base_kv, at),
        branches=branches.table,
        generators=_make_generators(parts, at),
        notes=SourceNotes(
            tables_not_read=dict(parts.unread), parts_not_read=list(parts.parts_not_read)
        ),
        remarks=tuple(_list_remarks(parts, branches)),
    )
    return build_power_grid(tables, request)


def _make_buses(
    parts: PypsaParts, ids: tuple[str, ...], base_kv: FloatArray, at: Mapping[str, IntArray]
) -> BusTable:
    buses, shunts = parts.table("buses"), parts.table("shunt_impedances")
    coordinates, system = _read_places(buses, parts.srid)
    squared = base_kv[at["shunt_impedances"]] ** 2

    def total(component: str, values: FloatArray) -> FloatArray:
        active = parts.table(component).truths("active", default=True)
        return sum_by_bus(len(ids), at[component][active], values[active])

    return BusTable(
        ids=ids,
        aliases=_find_aliases(buses, ids),
        demand=total("loads", parts.values("loads", "p_set", 0.0)),
        reactive_demand=total("loads", parts.values("loads", "q_set", 0.0)),
        conductance=total("shunt_impedances", shunts.numbers("g", 0.0) * squared),
        susceptance=total("shunt_impedances", shunts.numbers("b", 0.0) * squared),
        magnitude=_read_state(parts, "v_mag_pu"),
        angle=np.rad2deg(_read_state(parts, "v_ang")),
        base_kv=base_kv,
        types=_find_types(parts, ids, at),
        coordinates=coordinates,
        coordinate_system=system,
        reference_system=_name_system(parts.srid) if system == "schematic" else None,
        substations=group_names(_find_substations(buses), "file"),
        texts=_find_texts(buses) | {"fuel": _find_fuels(parts, len(ids), at)},
    )


def _find_aliases(buses: TextTable, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    for column in ("osm_name", "station_name", "nice_name"):
        names = buses.texts(column)
        if any(names) and names != list(ids):
            return {"name": tuple(_shorten(name) for name in names)}
    return {}


def _shorten(name: str) -> str:
    return "" if not name.isprintable() or len(name) > 200 else name


def _read_state(parts: PypsaParts, attribute: str) -> FloatArray:
    if f"buses-{attribute}" not in parts.series:
        return np.full(parts.table("buses").count, np.nan)
    return parts.values("buses", attribute, np.nan)


def _name_system(srid: int | None) -> str | None:
    return f"EPSG:{srid}" if srid is not None and _LEAST_SRID <= srid <= _MOST_SRID else None


def _read_places(buses: TextTable, srid: int | None) -> tuple[FloatArray, CoordinateSystem]:
    """Return x and y: longitude and latitude unless the network names another system."""
    places = np.column_stack([buses.numbers("x"), buses.numbers("y")])
    places[~np.isfinite(places).all(axis=1)] = np.nan
    places[(places == 0).all(axis=1)] = np.nan  # PyPSA's default for a bus without a place
    if np.isnan(places).all():
        return places, "none"
    on_earth = bool((np.nanmax(np.abs(places), axis=0) <= (180, 90)).all())
    return places, "geographic" if on_earth and srid in (None, _WGS84) else "schematic"


def _find_types(parts: PypsaParts, ids: Sequence[str], at: Mapping[str, IntArray]) -> IntArray:
    types = np.zeros(len(ids), dtype=np.int64)
    for component in ("generators", "storage_units"):
        controls = parts.table(component).texts("control")
        held = np.array([_TYPES.get(control, 0) for control in controls], dtype=np.int64)
        np.maximum.at(types, at[component], held)
    return types


def _find_substations(buses: TextTable) -> list[str]:
    column = next((name for name in _SUBSTATIONS if buses.has(name)), _SUBSTATIONS[0])
    return [_shorten(text) for text in buses.texts(column)]


def _find_texts(buses: TextTable) -> dict[str, Sequence[str]]:
    wanted = [name for name in buses.names if name not in _NOT_TEXTS]
    return {name: buses.texts(name) for name in sorted(wanted)}


def _find_fuels(parts: PypsaParts, count: int, at: Mapping[str, IntArray]) -> list[str]:
    """Return the carrier of the largest generator or storage at every bus, "" without one."""
    fuels, largest = [""] * count, np.zeros(count)
    for component in ("generators", "storage_units"):
        table = parts.table(component)
        rows = zip(at[component], table.texts("carrier"), table.numbers("p_nom", 0.0), strict=True)
        for bus, carrier, size in rows:
            if carrier and (not fuels[bus] or size > largest[bus]):
                fuels[bus], largest[bus] = carrier, size
    return fuels


def _make_generators(parts: PypsaParts, at: Mapping[str, IntArray]) -> GeneratorTable:
    """Return generators and storage units; a series of results overrides the set power."""
    columns = []
    for component in ("generators", "storage_units"):
        table = parts.table(component)
        set_power = parts.values(component, "p_set", 0.0)
        solved = f"{component}-p" in parts.series
        power = parts.values(component, "p", 0.0) if solved else set_power
        capacity = table.numbers("p_nom", 0.0)
        capacity = np.where(np.isinf(capacity), power, capacity)
        active = table.truths("active", default=True)
        columns.append((power, parts.values(component, "q", 0.0), capacity, active))
    power, reactive, capacity, active = (
        np.concatenate(parts_of) for parts_of in zip(*columns, strict=True)
    )
    return GeneratorTable(
        buses=np.concatenate([at["generators"], at["storage_units"]]),
        power=power,
        reactive_power=reactive,
        capacity=capacity,
        in_service=active.astype(np.bool_),
    )


def _list_remarks(parts: PypsaParts, branches: PypsaBranches) -> Iterator[str]:
    if parts.series:
        names = ", ".join(sorted(parts.series))
        yield f"of the time series {names} the first snapshot is used"
    if branches.untyped:
        yield (
            f"{branches.untyped:,} line(s) have a type that is neither in the file nor known: "
            "they have no impedance"
        )
    if branches.untyped_transformers:
        yield (
            f"{branches.untyped_transformers:,} transformer(s) have a type that is neither in the "
            "file nor known: their own r, x and b are used"
        )
    further = [name for name in parts.table("links").names if name in ("bus2", "bus3", "bus4")]
    if further:
        yield "of a link with more than two buses the first two are used"
