"""Elements of a circuit as the statements have left them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from app.ingest.formats.opendss.classes import ARRAYS, INDEXED, PROPERTIES, SYNONYMS, find_property
from app.ingest.formats.opendss.scan import (
    is_yes,
    read_number,
    read_rows,
    split_list,
    strip_quotes,
)
from ml.errors import Fault

_MOST_INDEX = 100
_RECENT = 10
_FREQUENCY = 60.0


class StatementPlace(NamedTuple):
    """Position of a statement."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file} line {self.line}"


@dataclass(slots=True)
class CircuitElement:
    """One element; ``values`` has its properties in the order in which they were last set.

    A property of a winding or conductor has its number in the key: ``kv@2``.
    """

    kind: str
    name: str
    place: StatementPlace
    values: dict[str, str] = field(default_factory=dict)
    is_open: bool = False

    @property
    def is_enabled(self) -> bool:
        """Whether the element is part of the circuit."""
        return is_yes(self.values.get("enabled", "yes"))

    def text(self, key: str, default: str = "") -> str:
        """Return a property without quotes, in lower case."""
        return strip_quotes(self.values.get(key, default)).lower()


@dataclass(slots=True)
class Circuit:
    """All elements by class and name, options of the circuit, and the faults of their values."""

    name: str = ""
    elements: dict[str, dict[str, CircuitElement]] = field(
        default_factory=lambda: {kind: {} for kind in PROPERTIES}
    )
    voltage_bases: list[float] = field(default_factory=list)
    bus_voltages: dict[str, float] = field(default_factory=dict)
    """Line-to-line kV given by ``SetkVBase``."""
    frequency: float = _FREQUENCY
    faults: list[Fault] = field(default_factory=list)

    def list_enabled(self, kind: str) -> Iterator[CircuitElement]:
        """Return the elements of a class that are not disabled."""
        return (element for element in self.elements[kind].values() if element.is_enabled)

    def find(self, kind: str, name: str) -> CircuitElement | None:
        """Return an element by class and name."""
        return self.elements[kind].get(name)

    def number(self, element: CircuitElement, key: str, default: float) -> float:
        """Return a property as number; a wrong one is a fault."""
        text = element.values.get(key)
        if text is None:
            return default
        try:
            return read_number(text)
        except ValueError:
            self._add_fault(element, key)
            return default

    def count(self, element: CircuitElement, key: str, default: int) -> int:
        """Return a property as a whole number from 1 to 100; a wrong one is a fault."""
        number = self.number(element, key, default)
        if not 1 <= number <= _MOST_INDEX:
            self._add_fault(element, key)
            return default
        return int(number)

    def rows(self, element: CircuitElement, key: str) -> list[list[float]]:
        """Return a property as the rows of a matrix; a wrong one is a fault."""
        try:
            return read_rows(element.values[key])
        except ValueError:
            self._add_fault(element, key)
            return []

    def _add_fault(self, element: CircuitElement, key: str) -> None:
        value = element.values[key][:40]
        problem = f"{element.kind} {element.name[:40]}: {key} is not a usable number: {value!r}"
        fault = Fault(str(element.place), problem)
        if fault not in self.faults[-_RECENT:]:  # a property may be read more than once
            self.faults.append(fault)

    def assign(self, element: CircuitElement, pairs: Iterable[tuple[str, str]]) -> list[str]:
        """Set properties of an element; return the problems of those that cannot be set."""
        problems = []
        names = PROPERTIES[element.kind]
        at = -1
        for name, value in pairs:
            wanted = find_property(element.kind, name) if name else _name_next(names, at)
            if wanted is None:
                problems.append(f"{element.kind} has no property {name[:40]!r}")
                continue
            at = names.index(wanted)
            problem = self._set(element, SYNONYMS.get(wanted, wanted), value)
            problems += [problem] if problem else []
        return problems

    def _set(self, element: CircuitElement, name: str, value: str) -> str:
        if name in ("like", "xfmrcode"):
            kind = "xfmrcode" if name == "xfmrcode" else element.kind
            return self._copy(element, kind, strip_quotes(value).lower())
        chooser, indexed = INDEXED.get(element.kind, ("", frozenset()))
        if name == "%loadloss" and chooser:
            half = f"({strip_quotes(value)} 2 /)"
            _put(element, "%r@1", half)
            _put(element, "%r@2", half)
        elif ARRAYS.get(name) in indexed:
            for index, part in enumerate(split_list(value)[:_MOST_INDEX], start=1):
                _put(element, f"{ARRAYS[name]}@{index}", part)
        elif name in indexed:
            _put(element, f"{name}@{self.count(element, chooser, 1)}", value)
        elif name == "kron":
            self._eliminate_neutral(element, value)
        else:
            _put(element, name, value)
        return ""

    def _eliminate_neutral(self, code: CircuitElement, value: str) -> None:
        """Add the neutral conductor of a line code to those that are eliminated, in their order."""
        phases = self.count(code, "nphases", 3)
        if not is_yes(value) or phases == 1:
            return
        neutral = self.count(code, "neutral", phases)
        _put(code, "kron", f"{code.values.get('kron', '')} {neutral}".strip())
        _put(code, "nphases", str(phases - 1))
        code.values.pop("neutral", None)

    def _copy(self, element: CircuitElement, kind: str, name: str) -> str:
        other = self.find(kind, name)
        if other is None:
            return f"there is no {kind} {name[:40]!r}"
        for key, value in list(other.values.items()):
            _put(element, key, value)
        return ""


def _put(element: CircuitElement, key: str, value: str) -> None:
    element.values.pop(key, None)  # the order of the keys is the order of the last settings
    element.values[key] = value


def _name_next(names: tuple[str, ...], at: int) -> str | None:
    return names[at + 1] if at + 1 < len(names) else None
