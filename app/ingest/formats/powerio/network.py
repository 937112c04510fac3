"""Network read by the library ``powerio`` -> power tables; runs only in the reader process."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import dropwhile, islice, takewhile
from typing import Any, NamedTuple

import numpy as np

from app.errors import GridRejected
from app.grid.report import SourceNotes
from app.ingest.formats.powerio.reasons import explain_error
from app.power.tables import (
    LINE,
    SWITCH,
    TRANSFORMER,
    BranchTable,
    BusTable,
    GeneratorTable,
    PowerTables,
    sum_by_bus,
)
from ml.arrays import FloatArray
from ml.errors import Fault

_TYPES = {"PQ": 0, "PV": 1, "REF": 2, "ISOLATED": 3}
_NAMES_START, _NAMES_END = "mpc.bus_name = {", "};"
_NOT_READ = ("hvdc", "static_var_compensators", "storage")

_Row = Mapping[str, Any]


class _Link(NamedTuple):
    kind: int
    source: int
    target: int
    resistance: float
    reactance: float
    charging: float
    rating: float
    in_service: bool
    tap: float = 1.0
    shift: float = 0.0


def read_network(content: bytes, form: str, by_uid: bool) -> PowerTables:
    """Read bytes of a format of powerio; ``by_uid`` makes powerio's uids the bus ids.

    Deviation: a three-winding transformer is two branches from its first winding.
    Raises: GridRejected.
    """
    try:
        import powerio
    except ImportError as error:
        raise GridRejected(
            f"Reading {form} needs the package powerio, which is not installed."
        ) from error
    try:
        module = powerio.parse(content, format=form)
        names = _read_names(powerio.emit(module, "matpower").text)
    except (powerio.PowerIOError, ValueError, TypeError) as error:
        fault = Fault("file", explain_error(error))
        raise GridRejected(f"The file cannot be read as {form}.", [fault]) from error
    network = module.value
    if not isinstance(network, powerio.BalancedNetwork):
        raise GridRejected("The file has no balanced network.")
    return _make_tables(network, form, by_uid, names)


def _make_tables(network: Any, form: str, by_uid: bool, names: Sequence[str]) -> PowerTables:
    buses = network.buses
    place = {bus["id"]: position for position, bus in enumerate(buses)}
    faults: list[Fault] = []
    links = list(_list_links(network, place, faults))
    generators = [row for row in network.generators if _is_placed(row, place, faults, "generator")]
    table = _make_buses(network, place, faults)
    if not by_uid:  # powerio invents area and zone 1 for CGMES
        table["regions"] = {kind: _list_regions(buses, kind) for kind in ("area", "zone")}
    if faults:
        raise GridRejected("The network has errors.", faults)
    uids = tuple(str(bus["uid"]) for bus in buses)
    numbers = tuple(str(bus["id"]) for bus in buses)
    aliases = {"name": tuple(names)} if len(names) == len(buses) and any(names) else {}
    unread = {name: len(getattr(network, name)) for name in _NOT_READ}
    return PowerTables(
        name=str(network.name or form),
        source=form,
        base_mva=float(network.base_mva),
        buses=BusTable(ids=uids if by_uid else numbers, aliases=aliases, **table),
        branches=_make_branches(links),
        generators=_make_generators(generators, place),
        notes=SourceNotes(tables_not_read={name: count for name, count in unread.items() if count}),
    )


def _make_buses(network: Any, place: Mapping[int, int], faults: list[Fault]) -> dict[str, Any]:
    buses = network.buses
    loads = [row for row in network.loads if _is_placed(row, place, faults, "load")]
    shunts = [row for row in network.shunts if _is_placed(row, place, faults, "shunt")]
    return {
        "demand": _sum(loads, "p", place),
        "reactive_demand": _sum(loads, "q", place),
        "conductance": _sum(shunts, "g", place),
        "susceptance": _sum(shunts, "b", place),
        "magnitude": _column(buses, "vm"),
        "angle": _column(buses, "va"),
        "base_kv": _column(buses, "base_kv"),
        "types": np.array([_TYPES.get(bus["kind"], 0) for bus in buses], dtype=np.int64),
    }


def _list_regions(buses: Sequence[_Row], kind: str) -> tuple[str, ...]:
    return tuple(str(bus[kind]) for bus in buses)


def _list_links(network: Any, place: Mapping[int, int], faults: list[Fault]) -> Iterator[_Link]:
    for row in network.branches:
        ends = row["from_id"], row["to_id"]
        if ends[0] not in place or ends[1] not in place:
            faults.append(Fault("branch", "ends at a bus that the file does not have"))
            continue
        # From powerio every transformer of the file has a ratio or a shift; lines have neither.
        transforms = row["tap"] or row["shift"]
        yield _Link(
            TRANSFORMER if transforms else LINE,
            place[ends[0]],
            place[ends[1]],
            float(row["r"]),
            float(row["x"]),
            float(row["b"]),
            float(row["rate_a"]),
            bool(row["in_service"]),
            float(row["tap"]) or 1.0,
            float(row["shift"]),
        )
    yield from _list_windings(network, place, faults)
    for row in network.switches:
        ends = row.get("from_id"), row.get("to_id")
        if ends[0] in place and ends[1] in place:
            closed = bool(row.get("closed", row.get("in_service", True)))
            yield _Link(SWITCH, place[ends[0]], place[ends[1]], 0.0, 0.0, 0.0, 0.0, closed)


def _list_windings(network: Any, place: Mapping[int, int], faults: list[Fault]) -> Iterator[_Link]:
    for row in network.transformers_3w:
        first, *others = row["windings"]
        for position, other in enumerate(others):
            if first["bus"] not in place or other["bus"] not in place:
                faults.append(Fault("transformer", "ends at a bus that the file does not have"))
                continue
            # Already on the base of the system, whatever base_mva is given beside it.
            between = row["z"][0 if position == 0 else 2]
            yield _Link(
                TRANSFORMER,
                place[first["bus"]],
                place[other["bus"]],
                float(between["r"]),
                float(between["x"]),
                0.0,
                float(other["rate_a"] or 0.0),
                bool(row["in_service"]),
                float(first["tap"] or 1.0) / float(other["tap"] or 1.0),
                float(first["shift"]) - float(other["shift"]),
            )


def _make_branches(links: Sequence[_Link]) -> BranchTable:
    columns: Any = list(zip(*links, strict=True)) or [[] for _ in _Link._fields]
    kinds, sources, targets, resistance, reactance, charging, rating, *others = columns
    in_service, tap, shift = others
    return BranchTable(
        ends=np.array([sources, targets], dtype=np.int64).T.reshape(-1, 2),
        kinds=np.array(kinds, dtype=np.int64),
        resistance=np.array(resistance, dtype=np.float64),
        reactance=np.array(reactance, dtype=np.float64),
        charging=np.array(charging, dtype=np.float64),
        rating=np.array(rating, dtype=np.float64),
        in_service=np.array(in_service, dtype=np.bool_),
        tap=np.array(tap, dtype=np.float64),
        shift=np.array(shift, dtype=np.float64),
    )


def _make_generators(rows: Sequence[_Row], place: Mapping[int, int]) -> GeneratorTable:
    power, capacity = _column(rows, "pg"), _column(rows, "pmax")
    return GeneratorTable(
        buses=np.array([place[row["bus"]] for row in rows], dtype=np.int64),
        power=power,
        reactive_power=_column(rows, "qg"),
        capacity=np.where(np.isfinite(capacity), capacity, power),
        in_service=np.array([bool(row["in_service"]) for row in rows], dtype=np.bool_),
    )


def _is_placed(row: _Row, place: Mapping[int, int], faults: list[Fault], what: str) -> bool:
    if row["bus"] in place:
        return True
    faults.append(Fault(what, "is at a bus that the file does not have"))
    return False


def _sum(rows: Sequence[_Row], name: str, place: Mapping[int, int]) -> FloatArray:
    active = [row for row in rows if row["in_service"]]
    at = np.array([place[row["bus"]] for row in active], dtype=np.int64)
    return sum_by_bus(len(place), at, _column(active, name))


def _column(rows: Sequence[_Row], name: str) -> FloatArray:
    return np.array([row[name] for row in rows], dtype=np.float64)


def _read_names(text: str | None) -> list[str]:
    """Return the bus names of a case that powerio has written: one quoted name per line."""
    lines = dropwhile(lambda line: line != _NAMES_START, (text or "").splitlines())
    quoted = takewhile(lambda line: line != _NAMES_END, islice(lines, 1, None))
    names = (line.strip(" \t;") for line in quoted)
    return [name[1:-1].replace("''", "'").strip() for name in names]
