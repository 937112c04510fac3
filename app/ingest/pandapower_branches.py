"""Lines, transformers, switches and other links of a pandapower net, in per unit."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from app.ingest.pandapower_frames import Frame
from app.ingest.power_tables import LINE, LINK, SWITCH, TRANSFORMER, BranchTable
from ml.arrays import BoolArray, FloatArray, IntArray
from ml.errors import Fault


class _Net(Protocol):
    bus: Frame
    place: Mapping[int, int]
    base_mva: float
    frequency: float
    faults: list[Fault]

    def frame(self, name: str) -> Frame: ...


class _Part(NamedTuple):
    kind: int
    ends: IntArray
    resistance: FloatArray
    reactance: FloatArray
    charging: FloatArray
    rating: FloatArray
    in_service: BoolArray


def read_branches(net: _Net, buses_in_service: BoolArray) -> tuple[BranchTable, dict[str, int]]:
    """Return all links between buses, and how the switches were taken.

    Deviation: a three-winding transformer is two branches from its high-voltage side; a closed
        switch between buses is a branch without impedance.
    """
    switches = net.frame("switch")
    opened = _find_opened(switches)
    parts = list(_read_parts(net, opened))
    parts.append(_read_bus_switches(net, switches))
    columns = [np.concatenate(column) for column in zip(*(part[1:] for part in parts), strict=True)]
    ends, resistance, reactance, charging, rating, in_service = columns
    kinds = np.concatenate([np.full(len(part.ends), part.kind) for part in parts])
    table = BranchTable(
        ends=ends,
        kinds=kinds,
        resistance=resistance,
        reactance=reactance,
        charging=charging,
        rating=np.where(np.isfinite(rating), rating, 0.0),
        in_service=in_service & buses_in_service[ends].all(axis=1),
    )
    between = int(np.count_nonzero(parts[-1].in_service))
    opened_count = sum(len(elements) for elements in opened.values())
    return table, {"closed_between_buses": between, "open_at_branches": opened_count}


def _find_opened(switches: Frame) -> dict[str, set[int]]:
    """Return the index values of lines and transformers that an open switch takes out."""
    closed = switches.truths("closed")
    elements = switches.numbers("element")
    opened: dict[str, set[int]] = {"l": set(), "t": set(), "t3": set()}
    for row, kind in enumerate(switches.texts("et")):
        if kind in opened and not closed[row] and np.isfinite(elements[row]):
            opened[kind].add(int(elements[row]))
    return opened


def _read_parts(net: _Net, opened: Mapping[str, set[int]]) -> Iterator[_Part]:
    yield _read_lines(net, opened["l"])
    yield _read_transformers(net, opened["t"])
    for low in ("mv", "lv"):
        yield _read_windings(net, low, opened["t3"])
    yield _read_impedances(net)
    yield _read_dc_lines(net)


def _read_lines(net: _Net, opened: set[int]) -> _Part:
    frame = net.frame("line")
    ends = _ends(net, frame, "from_bus", "to_bus")
    voltage = net.bus.numbers("vn_kv")[ends[:, 0]]
    base = voltage**2 / net.base_mva
    length, parallel = frame.numbers("length_km", 1.0), frame.numbers("parallel", 1.0)
    capacitance = frame.numbers("c_nf_per_km", 0.0) * length * parallel * 1e-9
    current = frame.numbers("max_i_ka") * frame.numbers("df", 1.0) * parallel
    with np.errstate(divide="ignore", invalid="ignore"):
        return _Part(
            LINE,
            ends,
            frame.numbers("r_ohm_per_km") * length / parallel / base,
            frame.numbers("x_ohm_per_km") * length / parallel / base,
            2 * np.pi * net.frequency * capacitance * base,
            np.sqrt(3) * voltage * current,
            _in_service(frame, opened),
        )


def _read_transformers(net: _Net, opened: set[int]) -> _Part:
    frame = net.frame("trafo")
    ends = _ends(net, frame, "hv_bus", "lv_bus")
    return _two_windings(net, frame, ends, ("sn_mva", "vk_percent", "vkr_percent"), opened)


def _read_windings(net: _Net, low: str, opened: set[int]) -> _Part:
    frame = net.frame("trafo3w")
    ends = _ends(net, frame, "hv_bus", f"{low}_bus")
    names = (f"sn_{low}_mva", f"vk_{low}_percent", f"vkr_{low}_percent")
    return _two_windings(net, frame, ends, names, opened)


def _two_windings(
    net: _Net, frame: Frame, ends: IntArray, names: tuple[str, str, str], opened: set[int]
) -> _Part:
    rated, short_circuit, losses = (frame.numbers(name) for name in names)
    parallel = frame.numbers("parallel", 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = net.base_mva / rated / parallel / 100
        resistance = losses * scale
        reactance = np.sqrt(np.maximum((short_circuit * scale) ** 2 - resistance**2, 0.0))
    zero = np.zeros(len(frame))
    rating = rated * parallel * frame.numbers("df", 1.0)
    in_service = _in_service(frame, opened)
    return _Part(TRANSFORMER, ends, resistance, reactance, zero, rating, in_service)


def _read_impedances(net: _Net) -> _Part:
    frame = net.frame("impedance")
    ends = _ends(net, frame, "from_bus", "to_bus")
    rated = frame.numbers("sn_mva", 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = net.base_mva / rated
        resistance, reactance = frame.numbers("rft_pu") * scale, frame.numbers("xft_pu") * scale
    zero = np.zeros(len(frame))
    return _Part(LINK, ends, resistance, reactance, zero, rated, _in_service(frame, set()))


def _read_dc_lines(net: _Net) -> _Part:
    frame = net.frame("dcline")
    ends = _ends(net, frame, "from_bus", "to_bus")
    zero = np.zeros(len(frame))
    rating = frame.numbers("max_p_mw", 0.0)
    return _Part(LINK, ends, zero, zero, zero, rating, _in_service(frame, set()))


def _read_bus_switches(net: _Net, switches: Frame) -> _Part:
    between = np.array([kind == "b" for kind in switches.texts("et")], dtype=np.bool_)
    rows = np.flatnonzero(between & switches.truths("closed"))
    faults: list[Fault] = []
    ends = np.column_stack(
        [switches.positions(name, net.place, faults)[rows] for name in ("bus", "element")]
    ).astype(np.int64)
    for row in np.flatnonzero((ends < 0).any(axis=1)):
        net.faults.append(Fault(f"switch row {rows[row] + 1}", "is not between known buses"))
    zero = np.zeros(len(rows))
    return _Part(SWITCH, ends, zero, zero, zero, zero, np.ones(len(rows), dtype=np.bool_))


def _ends(net: _Net, frame: Frame, source: str, target: str) -> IntArray:
    columns: Any = [frame.positions(name, net.place, net.faults) for name in (source, target)]
    return np.column_stack(columns).astype(np.int64)


def _in_service(frame: Frame, opened: set[int]) -> BoolArray:
    closed = np.array([index not in opened for index in frame.index], dtype=np.bool_)
    return closed & frame.truths("in_service")
