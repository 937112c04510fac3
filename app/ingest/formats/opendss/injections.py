"""Loads, generators and shunts of a circuit, by bus."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from app.ingest.formats.opendss.branches import Terminal, find_terminal, is_series
from app.ingest.formats.opendss.elements import Circuit, CircuitElement
from app.ingest.formats.opendss.scan import read_number, split_list

_ROOT = math.sqrt(3)
_VOLTAGE_CONTROLLED = "3"
_POWER_FACTOR = 0.88
"""Of a load or generator without one."""
_LEAST_FACTOR = 1e-3


class Injection(NamedTuple):
    """Power of a load or generator in MW and Mvar."""

    terminal: Terminal
    power: float
    reactive: float
    capacity: float = 0.0
    controls_voltage: bool = False


class Shunt(NamedTuple):
    """Mvar of a shunt at its rated voltage in kV between phases; capacitors are positive."""

    terminal: Terminal
    reactive: float
    kv: float


def list_loads(circuit: Circuit) -> Iterator[Injection]:
    """Return the loads that are not disabled."""
    for load in circuit.list_enabled("load"):
        if load.is_open:
            continue
        power, by_factor = _find_demand(circuit, load)
        reactive = _find_reactive(circuit, load, power, _POWER_FACTOR, by_factor=by_factor)
        yield Injection(find_terminal(circuit, load), power / 1e3, reactive / 1e3)


def list_generators(circuit: Circuit) -> Iterator[Injection]:
    """Return generators and photovoltaic systems that are not disabled."""
    for generator in circuit.list_enabled("generator"):
        power = circuit.number(generator, "kw", 1000.0)
        reactive = _find_reactive(circuit, generator, power, _POWER_FACTOR)
        controlled = generator.text("model") == _VOLTAGE_CONTROLLED
        terminal = find_terminal(circuit, generator)
        yield Injection(terminal, power / 1e3, reactive / 1e3, power / 1e3, controlled)
    for system in circuit.list_enabled("pvsystem"):
        most = circuit.number(system, "pmpp", 500.0)
        share = circuit.number(system, "irradiance", 1.0) * circuit.number(system, "%pmpp", 100.0)
        power = min(most * share / 100, circuit.number(system, "kva", 500.0))
        reactive = _find_reactive(circuit, system, power, 1.0)
        terminal = find_terminal(circuit, system)
        yield Injection(terminal, power / 1e3, reactive / 1e3, most / 1e3)


def list_shunts(circuit: Circuit) -> Iterator[Shunt]:
    """Return capacitors and reactors between a bus and the ground, as reactive power."""
    for kind, sign in (("capacitor", 1.0), ("reactor", -1.0)):
        for element in circuit.list_enabled(kind):
            if is_series(circuit, element) or element.is_open:
                continue
            kv = circuit.number(element, "kv", 12.47)
            to_ground = circuit.count(element, "phases", 3) == 1 and not element.text(
                "conn"
            ).startswith(("d", "ll"))
            kvar = sign * _sum_steps(circuit, element)
            yield Shunt(
                find_terminal(circuit, element), kvar / 1e3, kv * _ROOT if to_ground else kv
            )


def _find_demand(circuit: Circuit, load: CircuitElement) -> tuple[float, bool]:
    """Return kW, and whether only the power factor gives the reactive power."""
    factor = _read_factor(circuit, load, _POWER_FACTOR)
    order = list(load.values)
    if circuit.number(load, "xfkva", 0.0) > 0:
        share = circuit.number(load, "allocationfactor", 0.5)
        # Like OpenDSS: a power factor that comes later does not change the allocated kW.
        allocated = max(order.index(key) for key in ("xfkva", "allocationfactor") if key in order)
        early = "pf" in order and order.index("pf") < allocated
        return circuit.number(load, "xfkva", 0.0) * share * (
            abs(factor) if early else _POWER_FACTOR
        ), True
    if "kva" in order and ("kw" not in order or order.index("kva") > order.index("kw")):
        return circuit.number(load, "kva", 0.0) * abs(factor), True
    return circuit.number(load, "kw", 10.0), False


def _read_factor(circuit: Circuit, element: CircuitElement, default: float) -> float:
    factor = circuit.number(element, "pf", default)
    return math.copysign(min(1.0, max(_LEAST_FACTOR, abs(factor))), factor)


def _find_reactive(
    circuit: Circuit,
    element: CircuitElement,
    power: float,
    default: float,
    *,
    by_factor: bool = False,
) -> float:
    """Return kvar: the later one of ``kvar`` and ``pf`` decides."""
    order = list(element.values)
    given = "kvar" in order and not by_factor
    if given and ("pf" not in order or order.index("kvar") > order.index("pf")):
        return circuit.number(element, "kvar", 0.0)
    factor = _read_factor(circuit, element, default)
    return math.copysign(abs(power) * math.tan(math.acos(abs(factor))), power * factor)


def _sum_steps(circuit: Circuit, element: CircuitElement) -> float:
    """Return the kvar of the steps that are switched on."""
    if "kvar" not in element.values and element.kind == "reactor":
        ohm = circuit.number(element, "x", 0.0)
        return circuit.number(element, "kv", 12.47) ** 2 * 1e3 / ohm if ohm else 0.0
    states = split_list(element.values.get("states", ""))
    try:
        steps = [read_number(text) for text in split_list(element.values.get("kvar", "1200"))]
    except ValueError:  # an expression, or a wrong number, which is reported
        steps = [circuit.number(element, "kvar", 1200.0)]
    return sum(step for at, step in enumerate(steps) if at >= len(states) or states[at] != "0")
