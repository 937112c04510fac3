"""Phases and base voltages of buses, traced from the sources of the circuit."""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence

from app.ingest.formats.opendss.branches import CircuitBranch, Terminal
from app.ingest.formats.opendss.elements import Circuit

_LETTERS = "ABC"
_DIGITS = 4
_Node = tuple[str, int]
_Group = tuple[_Node, ...]


def trace_phases(
    sources: Iterable[Terminal], branches: Iterable[CircuitBranch], terminals: Iterable[Terminal]
) -> dict[str, str]:
    """Return the phases of every bus, such as ``AC``; no entry for a bus without any.

    Nodes 1, 2 and 3 of a source are A, B and C. A conductor carries the phase of its other end.
    A single-phase transformer gives its secondary all phases of its primary, so a split-phase
    bus with the nodes 1 and 2 has one phase. Transformers follow after all conductors that can
    be reached, because a winding between two phases must have seen both. A bus that no source
    reaches has the phases of its node numbers.
    """
    tracer = _Tracer()
    for branch in branches:
        if branch.in_service:
            tracer.link(branch)
    for source in sources:
        for node in source.nodes:
            if 1 <= node <= len(_LETTERS):
                tracer.spread((source.bus, node), frozenset({node}))
    tracer.follow_windings()
    return _name_phases(tracer.known, terminals)


class _Tracer:
    def __init__(self) -> None:
        self.known: dict[_Node, frozenset[int]] = {}
        self._wires: defaultdict[_Node, list[_Node]] = defaultdict(list)
        self._windings: defaultdict[_Node, list[tuple[_Group, _Group]]] = defaultdict(list)
        self._pending: deque[tuple[_Group, _Group]] = deque()

    def link(self, branch: CircuitBranch) -> None:
        """Add the conductors or windings of a branch."""
        for ones, twos in branch.joins:
            near = tuple((branch.first.bus, node) for node in ones)
            far = tuple((branch.second.bus, node) for node in twos)
            if len(near) == len(far) == 1:
                self._wires[near[0]].append(far[0])
                self._wires[far[0]].append(near[0])
                continue
            for group, other in ((near, far), (far, near)):
                for node in group:
                    self._windings[node].append((group, other))

    def spread(self, node: _Node, phases: frozenset[int]) -> None:
        """Give a node its phases, and all nodes that conductors join to it; the first ones stay."""
        if node in self.known:
            return
        self.known[node] = phases
        reached = [node]
        while reached:
            at = reached.pop()
            self._pending.extend(self._windings[at])
            for other in self._wires[at]:
                if other not in self.known:
                    self.known[other] = phases
                    reached.append(other)

    def follow_windings(self) -> None:
        """Carry phases through the windings that have been reached, in their order."""
        while self._pending:
            near, far = self._pending.popleft()
            phases = frozenset[int]().union(*(self.known.get(node, ()) for node in near))
            for node in far:
                self.spread(node, phases)


def _name_phases(
    known: Mapping[_Node, frozenset[int]], terminals: Iterable[Terminal]
) -> dict[str, str]:
    traced: defaultdict[str, set[int]] = defaultdict(set)
    for (bus, _), phases in known.items():
        traced[bus] |= phases
    written: defaultdict[str, set[int]] = defaultdict(set)
    for terminal in terminals:
        if not traced.get(terminal.bus):
            written[terminal.bus].update(terminal.nodes)
    names = {
        bus: "".join(letter for at, letter in enumerate(_LETTERS, start=1) if at in phases)
        for bus, phases in (*written.items(), *traced.items())
    }
    return {bus: name for bus, name in names.items() if name}


def trace_voltages(
    circuit: Circuit, sources: Iterable[tuple[str, float]], branches: Sequence[CircuitBranch]
) -> dict[str, float]:
    """Return line-to-line base voltages in kV of the buses that a source reaches.

    Transformers change the voltage by the ratio of their windings. Like OpenDSS, the result is
    the nearest of the circuit's voltage bases if it has any.
    """
    neighbours: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
    for branch in branches:
        if not branch.in_service:
            continue
        one, two = branch.kv or (1.0, 1.0)
        ratio = two / one if one > 0 and two > 0 else 1.0
        neighbours[branch.first.bus].append((branch.second.bus, ratio))
        neighbours[branch.second.bus].append((branch.first.bus, 1 / ratio))
    voltages = {bus: kv for bus, kv in sources if kv > 0}
    queue = deque(voltages)
    while queue:
        at = queue.popleft()
        for other, ratio in neighbours[at]:
            if other not in voltages:
                voltages[other] = voltages[at] * ratio
                queue.append(other)
    rounded = {bus: _choose_base(kv, circuit.voltage_bases) for bus, kv in voltages.items()}
    return rounded | circuit.bus_voltages


def _choose_base(kv: float, bases: Sequence[float]) -> float:
    if bases:
        return min(bases, key=lambda base: abs(1 - kv / base))
    return float(f"{kv:.{_DIGITS}g}")
