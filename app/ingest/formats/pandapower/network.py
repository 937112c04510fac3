"""Reader of pandapower JSON: only named columns are read, no code named in the file is run."""

import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from app.errors import GridRejected
from app.grid.grid import CoordinateSystem
from app.grid.places import group_names
from app.grid.report import ReadGrid, SourceNotes
from app.grid.text_rules import find_text_problem, replace_controls
from app.ingest.build.coordinates import detect_degrees
from app.ingest.build.power_grid import build_power_grid
from app.ingest.formats.pandapower.branches import read_branches
from app.ingest.formats.pandapower.frames import Frame, get_frame, load_frames
from app.ingest.formats.pandapower.parts import Net
from app.ingest.protocol import Request
from app.power.tables import BusTable, GeneratorTable, PowerTables, sum_by_bus
from ml.arrays import BoolArray, FloatArray, IntArray
from ml.errors import Fault

_PQ, _PV, _SLACK, _ISOLATED = range(4)
_NOT_READ = (
    "motor",
    "storage",
    "asymmetric_sgen",
    "ward",
    "xward",
    "svc",
    "ssc",
    "vsc",
    "tcsc",
)


class _Voltages(NamedTuple):
    magnitude: FloatArray
    angle: FloatArray
    dead: BoolArray
    """Buses without supply in the power flow."""


def read(request: Request) -> ReadGrid:
    """Read one network. Raises: GridRejected listing every fault."""
    parts = load_frames(request.files["file"])
    bus = get_frame(parts, "bus", request.limits.buses)
    if not len(bus):
        raise GridRejected("The network has no buses.")
    net = Net(
        parts=parts,
        bus=bus,
        place={index: position for position, index in enumerate(bus.index)},
        base_mva=_get_number(parts, "sn_mva", 1.0),
        frequency=_get_number(parts, "f_hz", 50.0),
        limit=request.limits.branches,
    )
    in_service = bus.truths("in_service")
    generators, types = _read_generators(net)
    branches, switches = read_branches(net, in_service)
    voltages = _read_voltages(net)
    supplied = in_service & ~voltages.dead
    tables = PowerTables(
        name=_get_name(parts),
        source="pandapower",
        base_mva=net.base_mva,
        buses=_read_buses(net, np.where(supplied, types, _ISOLATED), voltages),
        branches=branches,
        generators=generators,
        notes=SourceNotes(
            switches=switches,
            tables_not_read=_count_unread(net),
            buses_without_supply=int(np.count_nonzero(~supplied)),
        ),
    )
    if net.faults:
        raise GridRejected("The network has errors.", net.faults)
    return build_power_grid(tables, request)


def _read_voltages(net: Net) -> _Voltages:
    """Return the results of the last power flow; a bus without supply has 0, not nan."""
    count, results = len(net.bus), net.frame("res_bus")
    if results.index != net.bus.index:
        unknown = np.full(count, np.nan)
        return _Voltages(unknown, unknown, np.zeros(count, dtype=np.bool_))
    magnitude, angle = results.numbers("vm_pu"), results.numbers("va_degree")
    dead: BoolArray = ~np.isfinite(magnitude + angle)
    if dead.all():
        return _Voltages(magnitude, angle, np.zeros(count, dtype=np.bool_))
    return _Voltages(np.where(dead, 0.0, magnitude), np.where(dead, 0.0, angle), dead)


def _read_buses(net: Net, types: IntArray, voltages: _Voltages) -> BusTable:
    bus = net.bus
    loads, shunts = net.frame("load"), net.frame("shunt")
    ids, aliases = _name_buses(bus)
    coordinates = _read_places(bus)
    return BusTable(
        ids=ids,
        aliases=aliases,
        demand=_sum_elements(net, loads, "p_mw") + _sum_phases(net, "p_{}_mw"),
        reactive_demand=_sum_elements(net, loads, "q_mvar") + _sum_phases(net, "q_{}_mvar"),
        conductance=_sum_elements(net, shunts, "p_mw", factor="step"),
        susceptance=-_sum_elements(net, shunts, "q_mvar", factor="step"),
        magnitude=voltages.magnitude,
        angle=voltages.angle,
        base_kv=bus.numbers("vn_kv"),
        types=types,
        regions={"zone": bus.texts("zone")} if any(bus.texts("zone")) else {},
        coordinates=coordinates,
        coordinate_system=_find_system(net, coordinates),
        substations=group_names(_read_substations(bus), "column"),
    )


def _read_substations(bus: Frame) -> list[str]:
    return ["" if _find_problem(name) else name for name in bus.texts("substation")]


def _find_problem(name: str) -> str | None:
    return find_text_problem(replace_controls(name))


def _name_buses(bus: Frame) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """Use the names as ids if they are unique; pandapower's own index is never a bus number."""
    names = bus.texts("name")
    by_index = tuple(f"index {index}" for index in bus.index)
    usable = len(set(names)) == len(names) and not any(map(_find_problem, names))
    if usable:
        return names, {"pandapower_index": by_index}
    shown = tuple("" if name and _find_problem(name) else name for name in names)
    return by_index, {"name": shown}


def _sum_elements(net: Net, frame: Frame, column: str, factor: str = "scaling") -> FloatArray:
    at = frame.positions("bus", net.place, net.faults)
    values = frame.numbers(column, 0.0) * frame.numbers(factor, 1.0)
    active = frame.truths("in_service") & (at >= 0)
    return sum_by_bus(len(net.bus), at[active], values[active])


def _sum_phases(net: Net, column: str) -> FloatArray:
    """Add up the three phases of asymmetric loads."""
    frame = net.frame("asymmetric_load")
    first, second, third = (_sum_elements(net, frame, column.format(phase)) for phase in "abc")
    return first + second + third


def _read_generators(net: Net) -> tuple[GeneratorTable, IntArray]:
    types = np.full(len(net.bus), _PQ, dtype=np.int64)
    columns: list[tuple[IntArray, FloatArray, FloatArray, FloatArray, Any]] = []
    for name, bus_type in (("sgen", _PQ), ("gen", _PV), ("ext_grid", _SLACK)):
        frame = net.frame(name)
        at = frame.positions("bus", net.place, net.faults)
        active = frame.truths("in_service")
        power = frame.numbers("p_mw", 0.0) * frame.numbers("scaling", 1.0)
        power = _prefer_result(net, frame, "p_mw", power)
        reactive = _prefer_result(net, frame, "q_mvar", frame.numbers("q_mvar", 0.0))
        capacity = frame.numbers("max_p_mw")
        capacity = np.where(np.isfinite(capacity), capacity, power)
        columns.append((at, power, reactive, capacity, active))
        placed = active & (at >= 0)
        held = np.full(len(frame), bus_type)
        if frame.has("slack"):
            held[frame.truths("slack")] = _SLACK
        types[at[placed]] = np.maximum(types[at[placed]], held[placed])
    at, power, reactive, capacity, active = (
        np.concatenate(parts) for parts in zip(*columns, strict=True)
    )
    table = GeneratorTable(
        buses=at, power=power, reactive_power=reactive, capacity=capacity, in_service=active
    )
    return table, types


def _prefer_result(net: Net, frame: Frame, column: str, given: FloatArray) -> FloatArray:
    """Take the results of the last power flow: the external grid has no scheduled power."""
    results = net.frame(f"res_{frame.name}")
    if results.index != frame.index:
        return given
    solved = results.numbers(column)
    return np.where(np.isfinite(solved), solved, given)


def _read_places(bus: Frame) -> FloatArray:
    places = np.full((len(bus), 2), np.nan)
    for position, text in enumerate(bus.texts("geo")):
        if text.startswith("{") and len(text) < 500:
            places[position] = _read_point(text)
    return places


def _find_system(net: Net, coordinates: FloatArray) -> CoordinateSystem:
    """Tell WGS84, which ``geo`` should be, from the drawings that many networks have there."""
    if np.isnan(coordinates).all():
        return "none"
    lines = net.frame("line")
    ends = np.column_stack(
        [lines.positions(name, net.place, []) for name in ("from_bus", "to_bus")]
    ).reshape(-1, 2)
    known = (ends >= 0).all(axis=1)
    degrees = detect_degrees(coordinates, ends[known], lines.numbers("length_km")[known])
    return "geographic" if degrees else "schematic"


def _read_point(text: str) -> tuple[float, float]:
    try:
        x, y = json.loads(text)["coordinates"][:2]
        point = float(x), float(y)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return math.nan, math.nan
    return point if all(map(math.isfinite, point)) else (math.nan, math.nan)


def _count_unread(net: Net) -> dict[str, int]:
    counts = {name: len(net.frame(name)) for name in _NOT_READ}
    return {name: count for name, count in counts.items() if count}


def _get_number(parts: Mapping[str, Any], name: str, default: float) -> float:
    value = parts.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:
        raise GridRejected("The network cannot be read.", [Fault(name, "is not a positive number")])
    return float(value)


def _get_name(parts: Mapping[str, Any]) -> str:
    name = parts.get("name")
    return name if isinstance(name, str) and name else "pandapower net"
