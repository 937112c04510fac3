"""Reader of SimBench CSV tables in a zip: bus ids are node ids; time series are never unpacked."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from app.errors import GridRejected
from app.grid.grid import CoordinateSystem
from app.grid.places import group_names
from app.grid.report import ReadGrid, SourceNotes, SwitchCounts
from app.ingest.build.power_grid import build_power_grid
from app.ingest.formats.guards.text_table import TextTable, read_text_table
from app.ingest.formats.guards.zip_guard import find_base_name, list_entries, read_tables
from app.ingest.formats.simbench.branches import BASE_MVA, read_branches
from app.ingest.formats.simbench.nodes import FusedNodes, fuse_nodes
from app.ingest.protocol import Request
from app.power.tables import BusTable, GeneratorTable, PowerTables, sum_by_bus
from ml.arrays import BoolArray, FloatArray, IntArray
from ml.errors import Fault

_BUSES = ("Node", "Switch", "Coordinates")
_BRANCHES = ("Line", "LineType", "DCLineType", "Transformer", "TransformerType")
_ELEMENTS = ("Load", "Shunt", "RES", "PowerPlant", "ExternalNet")
_TABLES = {f"{name.lower()}.csv": name for name in (*_BUSES, *_BRANCHES, *_ELEMENTS)}
_COUNTED = {f"{name.lower()}.csv": name for name in ("Storage", "Transformer3W")}
_TYPES = {"pvm": 1, "vavm": 2}
_READ_EXTERNAL = frozenset(("pvm", "vavm", "pq", ""))


class _Elements(NamedTuple):
    """Loads or generators at buses of the file, without the equivalents of parts of it."""

    table: TextTable
    buses: IntArray
    kept: BoolArray

    def numbers(self, column: str, default: float = 0.0) -> FloatArray:
        """Return a column of the elements that count."""
        return self.table.numbers(column, default)[self.kept]


def read(request: Request) -> ReadGrid:
    """Read one scenario. Raises: GridRejected listing every fault."""
    content = request.files["file"]
    limit = max(request.limits.branches, request.limits.buses)
    files = read_tables(content, lambda name: name in _TABLES or name in _COUNTED)
    known = _TABLES | _COUNTED
    given = {known[name]: _read(known[name], part, limit) for name, part in files.items()}
    if not given.get("Node") or not given["Node"].count:
        fault = Fault("Node.csv", "is missing or empty")
        raise GridRejected("The archive is not a SimBench scenario.", [fault])
    tables = {name: given.get(name) or TextTable(name, {}, 0) for name in known.values()}
    faults: list[Fault] = []
    nodes = fuse_nodes(tables["Node"], tables["Switch"], faults)
    base_kv = nodes.numbers("vmR")
    branches = read_branches(tables, nodes.place, base_kv, faults)
    subnets = {text.split("_")[0] for text in set(tables["Node"].texts("subnet")) if text}
    elements = {name: _place(tables[name], nodes, subnets, faults) for name in _ELEMENTS}
    if faults:
        raise GridRejected("The SimBench tables have errors.", faults)
    power = PowerTables(
        name="SimBench grid",
        source="simbench",
        base_mva=BASE_MVA,
        buses=_make_buses(tables, nodes, elements, base_kv),
        branches=branches,
        generators=_make_generators(elements),
        notes=_make_notes(tables, nodes, content),
        remarks=tuple(_list_remarks(nodes, elements)),
    )
    return build_power_grid(power, request)


def _read(name: str, content: bytes, limit: int) -> TextTable:
    return read_text_table(name, content, limit, delimiters=";,\t")


def _place(
    table: TextTable, nodes: FusedNodes, subnets: set[str], faults: list[Fault]
) -> _Elements:
    """Find the buses of elements; an equivalent of a subnet that is in the file is left out.

    SimBench gives ``A_B`` as the subnet of an element of A that stands for the subnet B: a file
    with both would count the loads of B twice.
    """
    at = table.positions("node", nodes.place, faults)
    texts = table.texts("subnet")
    parts = {text: text.split("_") for text in set(texts)}
    real = {text: len(part) < 2 or part[1] not in subnets for text, part in parts.items()}
    kept = np.fromiter((real[text] for text in texts), np.bool_, len(texts))
    return _Elements(table, at[kept], kept)


def _make_buses(
    tables: Mapping[str, TextTable],
    nodes: FusedNodes,
    elements: Mapping[str, _Elements],
    base_kv: FloatArray,
) -> BusTable:
    loads, shunts = elements["Load"], elements["Shunt"]
    rated = shunts.numbers("vmR", np.nan)
    voltage = base_kv[shunts.buses]
    scale = shunts.numbers("step", 1.0) * np.where(rated > 0, (voltage / rated) ** 2, 1.0)
    ids = nodes.table.keys("id")
    coordinates, system = _read_places(tables["Coordinates"], nodes)
    unknown = np.full(nodes.count, np.nan)
    feeders = nodes.texts("subnet")  # such as MV1.102_Feeder1, a feeder of the subnet MV1.102

    def total(part: _Elements, values: FloatArray) -> FloatArray:
        return sum_by_bus(nodes.count, part.buses, values)

    return BusTable(
        ids=tuple(ids[node] for node in nodes.chosen),
        aliases={},
        demand=total(loads, loads.numbers("pLoad")),
        reactive_demand=total(loads, loads.numbers("qLoad")),
        conductance=total(shunts, shunts.numbers("p0") * scale),
        susceptance=total(shunts, -shunts.numbers("q0") * scale),
        magnitude=unknown,
        angle=unknown,
        base_kv=base_kv,
        types=_find_types(nodes.count, elements),
        coordinates=coordinates,
        coordinate_system=system,
        substations=group_names(nodes.texts("substation"), "file"),
        texts={
            "subnet": [text.partition("_")[0] for text in feeders],
            "feeder": feeders,
            "voltLvl": nodes.texts("voltLvl"),
            "type": nodes.texts("type"),
            "fuel": _find_fuels(nodes.count, elements),
        },
    )


def _read_places(table: TextTable, nodes: FusedNodes) -> tuple[FloatArray, CoordinateSystem]:
    row_of = {text: row for row, text in enumerate(table.texts("id"))}
    rows = [row_of.get(text, -1) for text in nodes.texts("coordID")]
    points = np.column_stack([table.numbers("x"), table.numbers("y")])
    places = np.vstack([points, [[np.nan, np.nan]]])[rows]
    places[~np.isfinite(places).all(axis=1)] = np.nan
    if np.isnan(places).all():
        return places, "none"
    on_earth = np.nanmax(np.abs(places), axis=0) <= (180, 90)
    return places, "geographic" if on_earth.all() else "schematic"


def _find_types(count: int, elements: Mapping[str, _Elements]) -> IntArray:
    types = np.zeros(count, dtype=np.int64)
    for name in ("PowerPlant", "ExternalNet"):
        part = elements[name]
        kinds = np.array(part.table.texts("calc_type"), dtype=object)[part.kept]
        held = np.array([_TYPES.get(kind, 0) for kind in kinds], dtype=np.int64)
        np.maximum.at(types, part.buses, held)
    return types


def _find_fuels(count: int, elements: Mapping[str, _Elements]) -> list[str]:
    """Return the type of the largest plant at every bus, "" without a plant."""
    fuels, largest = [""] * count, np.zeros(count)
    for name in ("RES", "PowerPlant"):
        part = elements[name]
        kinds = np.array(part.table.texts("type"), dtype=object)[part.kept]
        for bus, kind, size in zip(part.buses, kinds, part.numbers("sR"), strict=True):
            if kind and (not fuels[bus] or size > largest[bus]):
                fuels[bus], largest[bus] = kind, size
    return fuels


def _make_generators(elements: Mapping[str, _Elements]) -> GeneratorTable:
    external = elements["ExternalNet"]
    kinds = np.array(external.table.texts("calc_type"), dtype=object)[external.kept]
    read = np.array([kind in _READ_EXTERNAL for kind in kinds], dtype=np.bool_)
    columns = [
        _list_plants(elements["RES"], "pRES", "qRES", "pRES"),
        _list_plants(elements["PowerPlant"], "pPP", "qPP", "pMax"),
        [part[read] for part in _list_plants(external, "pExtNet", "qExtNet", "pExtNet")],
    ]
    at, power, reactive, capacity = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    return GeneratorTable(
        buses=at.astype(np.int64),
        power=power,
        reactive_power=reactive,
        capacity=np.maximum(capacity, power),
        in_service=np.ones(len(at), dtype=np.bool_),
    )


def _list_plants(part: _Elements, power: str, reactive: str, most: str) -> list[FloatArray]:
    """Return bus, power, reactive power and capacity of generators."""
    at = part.buses.astype(np.float64)
    return [at, part.numbers(power), part.numbers(reactive), part.numbers(most)]


def _make_notes(tables: Mapping[str, TextTable], nodes: FusedNodes, content: bytes) -> SourceNotes:
    names = [find_base_name(entry.name) for entry in list_entries(content)]
    unread = sorted({name for name in names if name and name not in _TABLES})
    counts = {name: tables[name].count for name in _COUNTED.values()}
    return SourceNotes(
        parts_not_read=unread,
        tables_not_read={name: count for name, count in counts.items() if count},
        switches=SwitchCounts(nodes.closed_switches, nodes.open_switches),
    )


def _list_remarks(nodes: FusedNodes, elements: Mapping[str, _Elements]) -> Iterator[str]:
    if nodes.count < nodes.table.count:
        yield (
            f"{nodes.table.count:,} nodes became {nodes.count:,} buses: nodes joined by closed "
            "switches are one bus, named by its first node that is not auxiliary"
        )
    dropped = {name: int((~part.kept).sum()) for name, part in elements.items()}
    listed = ", ".join(f"{count:,} of {name}" for name, count in dropped.items() if count)
    if listed:
        yield f"left out because they stand for subnets that are in the file: {listed}"
