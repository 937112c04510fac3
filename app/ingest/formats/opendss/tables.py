"""Elements of a circuit -> power tables: per unit of 100 MVA, positive sequence."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from app.grid.report import SwitchCounts
from app.ingest.formats.opendss.branches import (
    CircuitBranch,
    Terminal,
    find_terminal,
    list_branches,
)
from app.ingest.formats.opendss.elements import Circuit, CircuitElement
from app.ingest.formats.opendss.injections import (
    Injection,
    Shunt,
    list_generators,
    list_loads,
    list_shunts,
)
from app.ingest.formats.opendss.phases import trace_phases, trace_voltages
from app.ingest.formats.opendss.places import BusPlaces
from app.power.tables import (
    SWITCH,
    TRANSFORMER,
    BranchTable,
    BusTable,
    GeneratorTable,
    PowerTables,
    sum_by_bus,
)
from ml.arrays import FloatArray, IntArray

_BASE_MVA = 100.0
_ROOT = math.sqrt(3)
_PV, _SLACK = 1, 2
_DECIMALS = 9


@dataclass(frozen=True, eq=False)
class TracedCircuit:
    """The enabled elements of a circuit; buses in the order of their first mention."""

    sources: list[Terminal]
    branches: list[CircuitBranch]
    loads: list[Injection]
    generators: list[Injection]
    shunts: list[Shunt]
    titles: dict[str, str]
    """Spelling of the buses at their first mention, by bus."""
    voltages: dict[str, float]
    phases: dict[str, str]
    left_out: int
    """Disabled branches at buses that no enabled element has."""

    def find(self, terminals: Iterable[Terminal]) -> IntArray:
        """Return the positions of the buses of terminals."""
        place = {bus: at for at, bus in enumerate(self.titles)}
        return np.array([place[one.bus] for one in terminals], dtype=np.int64)

    def count_switches(self) -> SwitchCounts:
        """Count closed and open switches."""
        states = [branch.in_service for branch in self.branches if branch.kind == SWITCH]
        return SwitchCounts(sum(states), len(states) - sum(states))


def make_network(circuit: Circuit) -> TracedCircuit:
    """Collect the elements of a circuit, and trace phases and voltages from its sources."""
    sources = list(circuit.list_enabled("vsource"))
    starts = [find_terminal(circuit, source) for source in sources]
    branches = list(list_branches(circuit))
    loads, generators = list(list_loads(circuit)), list(list_generators(circuit))
    shunts = list(list_shunts(circuit))
    terminals = [
        *starts,
        *(end for one in branches if one.is_enabled for end in (one.first, one.second)),
        *(one.terminal for one in (*loads, *generators)),
        *(one.terminal for one in shunts),
    ]
    titles: dict[str, str] = {}
    for terminal in terminals:
        titles.setdefault(terminal.bus, terminal.title)
    placed = [one for one in branches if {one.first.bus, one.second.bus} <= titles.keys()]
    kv = [_find_voltage(circuit, source) for source in sources]
    starting = zip((start.bus for start in starts), kv, strict=True)
    return TracedCircuit(
        sources=starts,
        branches=placed,
        loads=loads,
        generators=generators,
        shunts=shunts,
        titles=titles,
        voltages=trace_voltages(circuit, starting, placed),
        phases=trace_phases(starts, placed, terminals),
        left_out=len(branches) - len(placed),
    )


def _find_voltage(circuit: Circuit, source: CircuitElement) -> float:
    kv = circuit.number(source, "basekv", 115.0)
    return kv * _ROOT if circuit.count(source, "phases", 3) == 1 else kv


def make_tables(circuit: Circuit, network: TracedCircuit, places: BusPlaces) -> PowerTables:
    """Return the tables of a network."""
    buses = tuple(network.titles)
    base_kv = np.array([network.voltages.get(bus, 0.0) for bus in buses], dtype=np.float64)
    names = tuple(title if title != bus else "" for bus, title in network.titles.items())
    loads = network.find(one.terminal for one in network.loads)
    unknown = np.full(len(buses), np.nan)
    coordinates, system = places.locate(buses)
    phases = tuple(network.phases.get(bus, "") for bus in buses)
    return PowerTables(
        name=circuit.name,
        source="opendss",
        base_mva=_BASE_MVA,
        buses=BusTable(
            ids=buses,
            aliases={"name": names} if any(names) else {},
            demand=sum_by_bus(len(buses), loads, _take(one.power for one in network.loads)),
            reactive_demand=sum_by_bus(
                len(buses), loads, _take(one.reactive for one in network.loads)
            ),
            conductance=np.zeros(len(buses)),
            susceptance=_sum_shunts(network, base_kv),
            magnitude=unknown,
            angle=unknown,
            base_kv=base_kv,
            types=_find_types(network),
            regions={"phases": phases} if any(phases) else {},
            coordinates=coordinates,
            coordinate_system=system,
        ),
        branches=_make_branches(network, base_kv),
        generators=_make_generators(network),
    )


def _take(values: Iterable[float]) -> FloatArray:
    return np.array(list(values), dtype=np.float64)


def _find_types(network: TracedCircuit) -> IntArray:
    types = np.zeros(len(network.titles), dtype=np.int64)
    types[network.find(one.terminal for one in network.generators if one.controls_voltage)] = _PV
    types[network.find(network.sources)] = _SLACK
    return types


def _sum_shunts(network: TracedCircuit, base_kv: FloatArray) -> FloatArray:
    """Return the reactive power of the shunts at base voltage."""
    at = network.find(one.terminal for one in network.shunts)
    rated = _take(one.kv for one in network.shunts)
    usable = (rated > 0) & (base_kv[at] > 0)
    ratio = np.divide(base_kv[at], rated, where=usable, out=np.ones(len(at)))
    reactive = _take(one.reactive for one in network.shunts) * ratio**2
    return sum_by_bus(len(base_kv), at, reactive)


def _make_generators(network: TracedCircuit) -> GeneratorTable:
    """Return generators, and the sources as generators whose power is not given."""
    count = len(network.sources)
    nothing = [0.0] * count
    generators = network.generators
    return GeneratorTable(
        buses=network.find([*network.sources, *(one.terminal for one in generators)]),
        power=_take([*nothing, *(one.power for one in generators)]),
        reactive_power=_take([*nothing, *(one.reactive for one in generators)]),
        capacity=_take([*nothing, *(one.capacity for one in generators)]),
        in_service=np.ones(count + len(generators), dtype=np.bool_),
    )


def _make_branches(network: TracedCircuit, base_kv: FloatArray) -> BranchTable:
    branches = network.branches
    first = network.find(one.first for one in branches)
    second = network.find(one.second for one in branches)
    kinds = np.array([one.kind for one in branches], dtype=np.int64)
    ohm = np.array([one.ohm for one in branches], dtype=np.complex128)
    # A bus without a voltage has no base: its branches get no impedance.
    admittance = np.zeros(len(branches))
    np.divide(_BASE_MVA, base_kv[first] ** 2, where=base_kv[first] > 0, out=admittance)
    siemens = _take(one.siemens for one in branches)
    impedance = ohm * admittance
    amperes = _take(one.ampere for one in branches)
    by_current = _ROOT * base_kv[first] * amperes / 1e3
    return BranchTable(
        ends=np.column_stack([first, second]).reshape(-1, 2),
        kinds=kinds,
        resistance=impedance.real.astype(np.float64),
        reactance=impedance.imag.astype(np.float64),
        charging=siemens * base_kv[first] ** 2 / _BASE_MVA,
        rating=np.where(kinds == TRANSFORMER, amperes, by_current),
        in_service=np.array([one.in_service for one in branches], dtype=np.bool_),
        tap=_make_taps(branches, base_kv[first], base_kv[second]),
        shift=_take(one.shift for one in branches),
    )


def _make_taps(branches: list[CircuitBranch], first: FloatArray, second: FloatArray) -> FloatArray:
    """Return rated over base voltage ratios, times the tap positions; 1 for a line."""
    rated = np.array([one.kv or (1.0, 1.0) for one in branches], dtype=np.float64).reshape(-1, 2)
    usable = (rated > 0).all(axis=1) & (first > 0) & (second > 0)
    usable &= np.array([one.kv is not None for one in branches], dtype=np.bool_)
    ratio = np.divide(
        rated[:, 0] * second, rated[:, 1] * first, where=usable, out=np.ones(len(branches))
    )
    return np.round(ratio * _take(one.tap for one in branches), _DECIMALS)
