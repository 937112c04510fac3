"""Reader of UCTE-DEF, versions 1 and 2: fixed columns; bus ids are the node codes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.errors import GridRejected
from app.grid.places import group_names
from app.grid.report import ReadGrid
from app.ingest.build.power_grid import build_power_grid
from app.ingest.formats.ucte.taps import name_element, read_regulation
from app.ingest.protocol import Request
from app.power.flow import ComplexArray
from app.power.tables import (
    LINE,
    SWITCH,
    TRANSFORMER,
    BranchTable,
    BusTable,
    GeneratorTable,
    PowerTables,
)
from ml.arrays import FloatArray
from ml.errors import Fault

_BASE_MVA = 100.0
_VOLTAGES = (750.0, 380.0, 220.0, 150.0, 120.0, 110.0, 70.0, 27.0, 330.0, 500.0)
"""Nominal kV by the seventh character of a node code."""
_TYPES = {"0": 0, "1": 0, "2": 1, "3": 2}
_COUPLERS = ("2", "7")
_OUT_OF_SERVICE = ("7", "8", "9")
_DECIMALS = 9
_SECTIONS = ("##C", "##N", "##L", "##T", "##R", "##TT", "##E")


@dataclass
class _Nodes:
    codes: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    countries: list[str] = field(default_factory=list)
    types: list[int] = field(default_factory=list)
    numbers: list[tuple[float, ...]] = field(default_factory=list)
    """Reference voltage, demand, reactive demand, generation, reactive generation, capacity."""


@dataclass
class _Links:
    ends: list[tuple[str, str]] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)
    numbers: list[tuple[float, ...]] = field(default_factory=list)
    """Resistance, reactance (ohm), susceptance (µS), current limit (A), rated power (MVA),
    rated voltages (kV) of a transformer at its first and second node."""
    in_service: list[bool] = field(default_factory=list)
    place: dict[str, int] = field(default_factory=dict)
    """Row of a transformer by its key."""
    ratios: dict[int, complex] = field(default_factory=dict)
    """Factor of the ratio of a transformer, by row, from its tap positions."""


def read(request: Request) -> ReadGrid:
    """Read one file. Raises: GridRejected listing every fault."""
    try:
        text = request.files["file"].decode()
    except UnicodeDecodeError:
        text = request.files["file"].decode("latin-1")
    nodes, links, faults = _Nodes(), _Links(), []
    for number, (section, country, line) in enumerate(_split_records(text), start=1):
        problem = ""
        if section == "##N":
            problem = _read_node(line, country, nodes)
        elif section in ("##L", "##T"):
            problem = _read_link(line, section == "##T", links)
        elif section == "##R":
            problem = _read_tap(line, links)
        if problem:
            faults.append(Fault(f"record {number}", problem))
    faults.extend(_end_faults(nodes, links))
    if not nodes.codes and not faults:
        faults.append(Fault("##N", "the file has no nodes"))
    if faults:
        raise GridRejected("The UCTE-DEF file has errors.", faults)
    return build_power_grid(_make_tables(nodes, links), request)


def _split_records(text: str) -> Iterator[tuple[str, str, str]]:
    section = country = ""
    for line in text.splitlines():
        mark = line.split(None, 1)[0] if line.startswith("##") else ""
        if mark.startswith("##Z"):
            country = mark[3:5]
        elif mark:
            if mark not in _SECTIONS:
                raise GridRejected(
                    "The file is not UCTE-DEF.",
                    [Fault(mark[:10], "is not a section of the format")],
                )
            section = mark
        elif line.strip() and section:
            yield section, country, line


def _read_node(line: str, country: str, nodes: _Nodes) -> str:
    code = line[:8].rstrip()
    places = ((26, 32), (33, 40), (41, 48), (49, 56), (57, 64), (73, 80))
    numbers = _read_numbers(line, places)
    if numbers is None or code != code.strip() or code[6:7] not in tuple("0123456789"):
        return "is not a valid node"
    nodes.codes.append(code)
    nodes.names.append(line[9:21].strip())
    nodes.countries.append(country)
    nodes.types.append(_TYPES.get(line[24:25], 0))
    nodes.numbers.append(numbers)
    return ""


def _read_link(line: str, transforms: bool, links: _Links) -> str:
    status = line[20:21]
    if transforms:
        places = ((40, 46), (47, 53), (54, 62), (70, 76), (34, 39), (22, 27), (28, 33))
    else:
        places = ((22, 28), (29, 35), (36, 44), (45, 51), (0, 0), (0, 0), (0, 0))
    numbers = _read_numbers(line, places)
    if numbers is None or status not in "012789" or not status:
        return "is not a valid line or transformer"
    first, second = line[:8].strip(), line[9:17].strip()
    if transforms:
        links.place[name_element(line)] = len(links.ends)
    # The second winding is the regulated one: the end at which a branch has its ratio.
    links.ends.append((second, first) if transforms else (first, second))
    kind = TRANSFORMER if transforms else SWITCH if status in _COUPLERS else LINE
    links.kinds.append(kind)
    links.numbers.append(numbers)
    links.in_service.append(status not in _OUT_OF_SERVICE)
    return ""


def _read_tap(line: str, links: _Links) -> str:
    regulation = read_regulation(line)
    if regulation is None:
        return "is not a valid regulation"
    if regulation.element not in links.place:
        return "regulates a transformer that the file does not have"
    links.ratios[links.place[regulation.element]] = regulation.ratio
    return ""


def _read_numbers(line: str, places: Sequence[tuple[int, int]]) -> tuple[float, ...] | None:
    """Return the numbers in these columns, 0 for blanks; None if a column is not a number."""
    try:
        return tuple(float(line[start:end].strip() or 0) for start, end in places)
    except ValueError:
        return None


def _end_faults(nodes: _Nodes, links: _Links) -> Iterator[Fault]:
    codes = set(nodes.codes)
    for position, ends in enumerate(links.ends, start=1):
        for code in ends:
            if code not in codes:
                yield Fault(f"branch {position}", f"ends at {code!r}, which is not a node")


def _make_tables(nodes: _Nodes, links: _Links) -> PowerTables:
    numbers = np.array(nodes.numbers, dtype=np.float64)
    base_kv = np.array([_VOLTAGES[int(code[6])] for code in nodes.codes])
    types = np.array(nodes.types, dtype=np.int64)
    # A voltage-controlled node has a generator, even one that generates nothing at the moment.
    generating = np.flatnonzero((numbers[:, 3] != 0) | (numbers[:, 4] != 0) | (types > 0))
    capacity = -numbers[:, 5]
    blank = np.zeros(len(nodes.codes))
    given = numbers[:, 0] > 0
    return PowerTables(
        name="UCTE-DEF grid",
        source="ucte",
        base_mva=_BASE_MVA,
        buses=BusTable(
            ids=tuple(nodes.codes),
            aliases={"name": tuple(nodes.names)} if any(nodes.names) else {},
            demand=numbers[:, 1],
            reactive_demand=numbers[:, 2],
            conductance=blank,
            susceptance=blank,
            magnitude=np.where(given, numbers[:, 0] / base_kv, np.nan),
            angle=np.full(len(nodes.codes), np.nan),
            base_kv=base_kv,
            types=types,
            regions={"area": tuple(nodes.countries)} if any(nodes.countries) else {},
            # A code is country and substation (6), voltage level (1) and busbar (1).
            substations=group_names([code[:6].rstrip() for code in nodes.codes], "file"),
        ),
        branches=_make_branches(links, {code: at for at, code in enumerate(nodes.codes)}, base_kv),
        # UCTE-DEF writes generated power as negative.
        generators=GeneratorTable(
            buses=generating,
            power=-numbers[generating, 3],
            reactive_power=-numbers[generating, 4],
            capacity=np.maximum(capacity, -numbers[:, 3])[generating],
            in_service=np.ones(len(generating), dtype=np.bool_),
        ),
    )


def _make_branches(links: _Links, place: Mapping[str, int], base_kv: FloatArray) -> BranchTable:
    ends = np.array([[place[a], place[b]] for a, b in links.ends], dtype=np.int64).reshape(-1, 2)
    numbers = np.array(links.numbers, dtype=np.float64).reshape(-1, 7)
    kinds = np.array(links.kinds, dtype=np.int64)
    transforms = kinds == TRANSFORMER
    # Ohms refer to the first node, which is the second end of a transformer.
    voltage = base_kv[np.where(transforms, ends[:, 1], ends[:, 0])]
    ratios = _make_ratios(links, numbers, base_kv[ends])
    ohm = voltage**2 / _BASE_MVA
    by_current = np.sqrt(3) * voltage * numbers[:, 3] / 1e3
    return BranchTable(
        ends=ends,
        kinds=kinds,
        resistance=numbers[:, 0] / ohm,
        reactance=numbers[:, 1] / ohm,
        charging=numbers[:, 2] * 1e-6 * ohm,
        rating=np.where(numbers[:, 4] > 0, numbers[:, 4], by_current),
        in_service=np.array(links.in_service, dtype=np.bool_),
        tap=np.round(np.abs(ratios), _DECIMALS).astype(np.float64),
        shift=np.round(np.rad2deg(np.angle(ratios)), _DECIMALS).astype(np.float64),
    )


def _make_ratios(links: _Links, numbers: FloatArray, base_kv: FloatArray) -> ComplexArray:
    """Return rated over nominal voltage ratios, times the tap factors; 1 for a line."""
    first, second = numbers[:, 5], numbers[:, 6]
    rated = (first > 0) & (second > 0)
    nominal = np.divide(
        second * base_kv[:, 1], first * base_kv[:, 0], where=rated, out=np.ones(len(numbers))
    )
    ratios = nominal.astype(np.complex128)
    for position, ratio in links.ratios.items():
        ratios[position] *= ratio
    return ratios
