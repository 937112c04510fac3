"""Lines, transformers and series elements of a circuit as branches between two buses."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from app.ingest.formats.opendss.elements import Circuit, CircuitElement
from app.ingest.formats.opendss.impedance import find_line_phases, measure_line
from app.ingest.formats.opendss.scan import is_yes
from app.power.tables import LINE, LINK, SWITCH, TRANSFORMER

_LAST_PHASE = 3
"""Nodes above 3 at the second end of a wye winding are neutrals."""
_REGULATOR = 2.0
"""Largest ratio of voltages of a single-phase regulator between two phases."""
_ROOT = math.sqrt(3)
_SHIFT = 30.0


class Terminal(NamedTuple):
    """Bus of an element in lower case, as written, and its nodes in the order of conductors."""

    bus: str
    title: str
    nodes: tuple[int, ...]


@dataclass(slots=True)
class CircuitBranch:
    """A branch; voltages in kV between phases, None for a branch that keeps the voltage.

    ``joins`` are pairs of groups of nodes, one at each end, that carry the same phases.
    """

    kind: int
    first: Terminal
    second: Terminal
    joins: list[tuple[tuple[int, ...], tuple[int, ...]]]
    ohm: complex
    in_service: bool
    is_enabled: bool
    siemens: float = 0.0
    ampere: float = 0.0
    """Rated current; for a transformer the rated power in MVA."""
    kv: tuple[float, float] | None = None
    tap: float = 1.0
    shift: float = 0.0
    is_known: bool = True


def read_terminal(text: str, phases: int) -> Terminal:
    """Read ``bus.1.2.3``; nodes that are not given are 1, 2, 3 up to the number of phases."""
    title, *parts = text.strip().split(".")
    nodes = list(range(1, phases + 1))
    for at, part in enumerate(parts[:100]):
        node = int(part) if part.isascii() and part.isdecimal() and len(part) < 6 else 0
        if at < len(nodes):
            nodes[at] = node
        else:
            nodes.append(node)
    return Terminal(title.strip().lower(), title.strip(), tuple(nodes))


def find_terminal(circuit: Circuit, element: CircuitElement, key: str = "bus1") -> Terminal:
    """Return a terminal of an element; the bus of a source has a default."""
    default = "sourcebus" if element.kind == "vsource" else ""
    text = element.values.get(key, default).strip("\"'()[]{}")
    return read_terminal(text, circuit.count(element, "phases", 3))


def list_branches(circuit: Circuit) -> Iterator[CircuitBranch]:
    """Return the branches of all elements, disabled ones included."""
    for line in circuit.elements["line"].values():
        yield _make_line(circuit, line)
    for transformer in circuit.elements["transformer"].values():
        yield from _make_transformer(circuit, transformer)
    for kind in ("reactor", "capacitor"):
        for element in circuit.elements[kind].values():
            if is_series(circuit, element):
                yield _make_series(circuit, element)


def is_series(circuit: Circuit, element: CircuitElement) -> bool:
    """Tell a reactor or capacitor between two buses from one between a bus and the ground."""
    if "bus2" not in element.values:
        return False
    ends = [find_terminal(circuit, element, key) for key in ("bus1", "bus2")]
    return ends[0].bus != ends[1].bus


def _make_line(circuit: Circuit, line: CircuitElement) -> CircuitBranch:
    phases = find_line_phases(circuit, line)
    ends = [read_terminal(line.values.get(key, "").strip("\"'()[]{}"), phases) for key in _ENDS]
    impedance = measure_line(circuit, line)
    return CircuitBranch(
        kind=SWITCH if is_yes(line.values.get("switch", "no")) else LINE,
        first=ends[0],
        second=ends[1],
        joins=_join_conductors(ends[0], ends[1], phases),
        ohm=impedance.ohm,
        siemens=impedance.siemens,
        ampere=impedance.ampere * (1.0 if phases > 1 else 1 / 3),
        in_service=line.is_enabled and not line.is_open,
        is_enabled=line.is_enabled,
        is_known=impedance.is_known,
    )


def _make_series(circuit: Circuit, element: CircuitElement) -> CircuitBranch:
    phases = circuit.count(element, "phases", 3)
    first, second = (find_terminal(circuit, element, key) for key in _ENDS)
    return CircuitBranch(
        kind=LINK,
        first=first,
        second=second,
        joins=_join_conductors(first, second, phases),
        ohm=_measure_series(circuit, element),
        in_service=element.is_enabled and not element.is_open,
        is_enabled=element.is_enabled,
    )


def _measure_series(circuit: Circuit, element: CircuitElement) -> complex:
    resistance = circuit.number(element, "r", 0.0)
    if element.kind == "reactor" and "x" in element.values:
        return complex(resistance, circuit.number(element, "x", 0.0))
    if element.kind == "reactor" and "lmh" in element.values:
        henry = circuit.number(element, "lmh", 0.0) / 1e3
        return complex(resistance, 2 * math.pi * circuit.frequency * henry)
    kvar = circuit.number(element, "kvar", 1200.0)
    ohm = circuit.number(element, "kv", 12.47) ** 2 * 1e3 / kvar if kvar else 0.0
    return complex(resistance, ohm if element.kind == "reactor" else -ohm)


def _join_conductors(
    first: Terminal, second: Terminal, phases: int
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    pairs = list(zip(first.nodes, second.nodes, strict=False))[:phases]
    return [((one,), (other,)) for one, other in pairs if one and other]


@dataclass(slots=True)
class _Winding:
    terminal: Terminal
    is_delta: bool
    kv: float
    kva: float
    tap: float
    percent: float


def _make_transformer(circuit: Circuit, element: CircuitElement) -> Iterator[CircuitBranch]:
    """Return a branch from the first winding to every other bus of the transformer."""
    phases = circuit.count(element, "phases", 3)
    count = circuit.count(element, "windings", _count_windings(element))
    windings = [_read_winding(circuit, element, at, phases) for at in range(1, count + 1)]
    primary = windings[0]
    joins: dict[str, list[tuple[tuple[int, ...], tuple[int, ...]]]] = {}
    firsts: dict[str, tuple[int, _Winding]] = {}
    for at, winding in enumerate(windings[1:], start=2):
        bus = winding.terminal.bus
        firsts.setdefault(bus, (at, winding))
        joins.setdefault(bus, []).extend(_join_windings(primary, winding, phases))
    for bus, (at, winding) in firsts.items():
        percent = circuit.number(element, "xht" if at == 3 else "xhl", 35.0 if at == 3 else 7.0)
        losses = primary.percent + winding.percent
        base = primary.kv**2 * 1e3 / primary.kva if primary.kva > 0 else 0.0
        kv = _to_line_voltage(primary, phases), _to_line_voltage(winding, phases)
        yield CircuitBranch(
            kind=TRANSFORMER,
            first=primary.terminal,
            second=winding.terminal,
            joins=joins[bus],
            ohm=complex(losses, percent) / 100 * base,
            in_service=element.is_enabled and not element.is_open,
            is_enabled=element.is_enabled,
            ampere=max(0.0, primary.kva / 1e3),
            kv=kv,
            tap=primary.tap / winding.tap if winding.tap > 0 and primary.tap > 0 else 1.0,
            shift=_find_shift(primary, winding, phases, element),
        )


def _count_windings(element: CircuitElement) -> int:
    numbers = (key.partition("@")[2] for key in element.values)
    return max([2, *(int(number) for number in numbers if number)])


def _read_winding(circuit: Circuit, element: CircuitElement, at: int, phases: int) -> _Winding:
    text = element.values.get(f"bus@{at}", "").strip("\"'()[]{}")
    is_delta = element.text(f"conn@{at}", "wye").startswith(("d", "ll"))
    terminal = read_terminal(text, phases)
    if phases == 1 and len(terminal.nodes) == 1:  # the other end: ground, or the second phase
        terminal = terminal._replace(nodes=(*terminal.nodes, 2 if is_delta else 0))
    return _Winding(
        terminal=terminal,
        is_delta=is_delta,
        kv=circuit.number(element, f"kv@{at}", 12.47),
        kva=circuit.number(element, f"kva@{at}", 1000.0),
        tap=circuit.number(element, f"tap@{at}", 1.0),
        percent=circuit.number(element, f"%r@{at}", 0.2),
    )


def _to_line_voltage(winding: _Winding, phases: int) -> float:
    to_ground = phases == 1 and not winding.is_delta and 0 in winding.terminal.nodes[:2]
    return winding.kv * _ROOT if to_ground else winding.kv


def _join_windings(
    primary: _Winding, other: _Winding, phases: int
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return which nodes share their phases.

    Windings of several phases share them conductor by conductor, and so do regulators between
    two phases; a single-phase winding has all phases of its other winding (split-phase).
    """
    if phases > 1:
        return _join_conductors(primary.terminal, other.terminal, phases)
    nodes = [_list_live_nodes(winding) for winding in (primary, other)]
    ratio = primary.kv / other.kv if other.kv > 0 else 0.0
    if len(nodes[0]) == len(nodes[1]) == 2 and 1 / _REGULATOR < ratio < _REGULATOR:
        return [((one,), (two,)) for one, two in zip(*nodes, strict=True)]
    return [(nodes[0], nodes[1])] if all(nodes) else []


def _list_live_nodes(winding: _Winding) -> tuple[int, ...]:
    first, second = winding.terminal.nodes[:2]
    is_neutral = not winding.is_delta and second > _LAST_PHASE
    return tuple(node for node in (first, 0 if is_neutral else second) if node)


def _find_shift(primary: _Winding, other: _Winding, phases: int, element: CircuitElement) -> float:
    """Return the shift in degrees: the lower voltage lags by 30 between delta and wye (ANSI)."""
    if phases == 1 or primary.is_delta == other.is_delta:
        return 0.0
    lag = -1.0 if element.text("leadlag").startswith(("le", "e")) else 1.0
    return _SHIFT * lag * (1.0 if primary.kv >= other.kv else -1.0)


_ENDS = ("bus1", "bus2")
