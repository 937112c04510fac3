"""Lines, transformers, switches and other links of a pandapower network, in per unit."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from app.grid.report import SwitchCounts
from app.ingest.formats.pandapower.frames import Frame
from app.ingest.formats.pandapower.parts import Net, find_in_service, make_branches, read_ends
from app.ingest.formats.pandapower.transformers import read_three_windings, read_transformers
from app.power.tables import LINE, LINK, SWITCH, BranchTable, join_branches
from ml.arrays import BoolArray
from ml.errors import Fault


def read_branches(net: Net, buses_in_service: BoolArray) -> tuple[BranchTable, SwitchCounts]:
    """Return all links between buses, and the number of closed and open switches.

    Deviation: a three-winding transformer is two branches from its high-voltage side; a closed
        switch between buses is a branch without impedance.
    """
    switches = net.frame("switch")
    opened = _find_opened(switches)
    closed = _read_bus_switches(net, switches)
    table = join_branches([*_read_tables(net, opened), closed])
    table = replace(
        table,
        rating=np.where(np.isfinite(table.rating), table.rating, 0.0),
        in_service=table.in_service & buses_in_service[table.ends].all(axis=1),
    )
    opened_count = sum(len(elements) for elements in opened.values())
    between = sum(kind == "b" for kind in switches.texts("et"))
    counts = SwitchCounts(len(closed.ends), between - len(closed.ends), opened_count)
    return table, counts


def _find_opened(switches: Frame) -> dict[str, set[int]]:
    """Return the index values of lines and transformers disconnected by an open switch."""
    closed = switches.truths("closed")
    elements = switches.numbers("element")
    opened: dict[str, set[int]] = {"l": set(), "t": set(), "t3": set()}
    for row, kind in enumerate(switches.texts("et")):
        if kind in opened and not closed[row] and np.isfinite(elements[row]):
            opened[kind].add(int(elements[row]))
    return opened


def _read_tables(net: Net, opened: Mapping[str, set[int]]) -> Iterator[BranchTable]:
    yield _read_lines(net, opened["l"])
    yield read_transformers(net, opened["t"])
    for low in ("mv", "lv"):
        yield read_three_windings(net, low, opened["t3"])
    yield _read_impedances(net)
    yield _read_dc_lines(net)


def _read_lines(net: Net, opened: set[int]) -> BranchTable:
    frame = net.frame("line")
    ends = read_ends(net, frame, "from_bus", "to_bus")
    voltage = net.bus.numbers("vn_kv")[ends[:, 0]]
    base = voltage**2 / net.base_mva
    length, parallel = frame.numbers("length_km", 1.0), frame.numbers("parallel", 1.0)
    capacitance = frame.numbers("c_nf_per_km", 0.0) * length * parallel * 1e-9
    current = frame.numbers("max_i_ka") * frame.numbers("df", 1.0) * parallel
    with np.errstate(divide="ignore", invalid="ignore"):
        return make_branches(
            LINE,
            ends,
            find_in_service(frame, opened),
            resistance=frame.numbers("r_ohm_per_km") * length / parallel / base,
            reactance=frame.numbers("x_ohm_per_km") * length / parallel / base,
            charging=2 * np.pi * net.frequency * capacitance * base,
            rating=np.sqrt(3) * voltage * current,
        )


def _read_impedances(net: Net) -> BranchTable:
    frame = net.frame("impedance")
    ends = read_ends(net, frame, "from_bus", "to_bus")
    rated = frame.numbers("sn_mva", 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = net.base_mva / rated
        return make_branches(
            LINK,
            ends,
            find_in_service(frame, set()),
            resistance=frame.numbers("rft_pu") * scale,
            reactance=frame.numbers("xft_pu") * scale,
            charging=(frame.numbers("bf_pu", 0.0) + frame.numbers("bt_pu", 0.0)) / scale,
            rating=rated,
        )


def _read_dc_lines(net: Net) -> BranchTable:
    frame = net.frame("dcline")
    ends = read_ends(net, frame, "from_bus", "to_bus")
    rating = frame.numbers("max_p_mw", 0.0)
    return make_branches(LINK, ends, find_in_service(frame, set()), rating=rating)


def _read_bus_switches(net: Net, switches: Frame) -> BranchTable:
    between = np.array([kind == "b" for kind in switches.texts("et")], dtype=np.bool_)
    rows = np.flatnonzero(between & switches.truths("closed"))
    faults: list[Fault] = []
    ends = np.column_stack(
        [switches.positions(name, net.place, faults)[rows] for name in ("bus", "element")]
    ).astype(np.int64)
    for row in np.flatnonzero((ends < 0).any(axis=1)):
        net.faults.append(
            Fault(f"switch row {rows[row] + 1}", "is not between two buses of the network")
        )
    return make_branches(SWITCH, ends, np.ones(len(rows), dtype=np.bool_))
