"""Statements of OpenDSS scripts: elements are collected, everything else is counted."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from app.errors import GridRejected
from app.ingest.formats.opendss.archive import OutsidePath, Scripts, get_folder
from app.ingest.formats.opendss.classes import PROPERTIES, find_command, find_property
from app.ingest.formats.opendss.elements import Circuit, CircuitElement, StatementPlace
from app.ingest.formats.opendss.places import BusPlaces
from app.ingest.formats.opendss.scan import read_number, split_list, split_statement, strip_quotes
from ml.errors import Fault

_MOST_LINES = 5_000_000
_MOST_DEPTH = 20
_MOST_INCLUDES = 2000
_MOST_CONTINUED = 10_000
"""Lines that continue one statement."""
_MOST_KINDS = 100
_MOST_FAULTS = 200
_MOST_NAME = 40
_PROGRAMS = ("doscmd", "shell")
_IMPLIED = ("calcvoltagebases", "makebuslist")
"""Commands that ask for what the reader does anyway."""
_LINE_ENDS = re.compile(r"\r\n|\r|\n")
_Pairs = Iterator[tuple[str, str]]


@dataclass
class Script:
    """Runs through the statements of a script and the files that it includes."""

    files: Scripts
    circuit: Circuit = field(default_factory=Circuit)
    places: BusPlaces = field(default_factory=BusPlaces)
    unread: Counter[str] = field(default_factory=Counter)
    """Statements without effect here, by kind."""
    missing: Counter[str] = field(default_factory=Counter)
    """Included files that the upload does not have."""
    faults: list[Fault] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """Properties and elements that the format does not have; reading goes on."""
    _active: CircuitElement | None = None
    _lines: int = 0
    _includes: int = 0
    _continued: int = 0
    _open_files: list[str] = field(default_factory=list)
    _place: StatementPlace = field(default_factory=lambda: StatementPlace("", 0))

    def __post_init__(self) -> None:
        self._actions: dict[str, Callable[[_Pairs], None]] = {
            "new": self._new,
            "edit": self._edit,
            "select": self._select,
            "redirect": self._include,
            "compile": self._include,
            "buscoords": partial(self._read_places, is_geographic=False),
            "latlongcoords": partial(self._read_places, is_geographic=True),
            "giscoords": partial(self._read_places, is_geographic=True),
            "setbusxy": self._set_place,
            "set": self._set,
            "setkvbase": self._set_voltage,
            "clear": self._clear,
            "clearall": self._clear,
            "open": partial(self._switch, is_open=True),
            "close": partial(self._switch, is_open=False),
            "enable": partial(self._set_enabled, is_enabled=True),
            "disable": partial(self._set_enabled, is_enabled=False),
        }

    def run(self, key: str) -> None:
        """Read a file. Raises: GridRejected for too many lines or faults."""
        if key in self._open_files or len(self._open_files) >= _MOST_DEPTH:
            self._add_fault("includes itself, or files are nested too deep")
            return
        self._includes += 1
        if self._includes > _MOST_INCLUDES:
            self._add_fault(f"more than {_MOST_INCLUDES:,} files are included")
            self._reject()
        self._open_files.append(key)
        title, commented, outer = self.files.get_title(key), False, self._place
        for number, line in enumerate(_LINE_ENDS.split(self.files.use(key)), start=1):
            commented = commented or line.startswith("/*")
            if commented:
                commented = "*/" not in line
                continue
            self._place = StatementPlace(title, number)
            self._count_line()
            self._run_line(line)
        self._place = outer
        self._open_files.pop()

    def _count_line(self) -> None:
        self._lines += 1
        if self._lines > _MOST_LINES:
            self._add_fault(f"the scripts have more than {_MOST_LINES:,} lines")
            self._reject()

    def _add_fault(self, problem: str) -> None:
        self.faults.append(Fault(str(self._place), problem))
        if len(self.faults) >= _MOST_FAULTS:
            self._reject()

    def _reject(self) -> None:
        raise GridRejected("The OpenDSS script was rejected.", self.faults)

    def _run_line(self, line: str) -> None:
        pairs = split_statement(line)
        name, text = next(pairs, ("", ""))
        if name:
            self._edit_property(name, text, pairs)
            return
        word = strip_quotes(text).lower()
        if not word:
            return
        command = find_command(word)
        if command in ("more", "m", "~"):
            self._continue(pairs)
            return
        self._continued = 0
        if command in _PROGRAMS:
            self._add_fault("runs a program of the operating system; remove this statement")
        elif command in self._actions:
            self._actions[command](pairs)
        elif command not in _IMPLIED:
            self._count_unread(command or "unknown command")

    def _count_unread(self, kind: str) -> None:
        kind = kind[:_MOST_NAME]
        full = len(self.unread) >= _MOST_KINDS and kind not in self.unread
        self.unread["other" if full else kind] += 1

    def _continue(self, pairs: _Pairs) -> None:
        self._continued += 1
        if self._continued > _MOST_CONTINUED:
            self._add_fault(f"continues a statement over more than {_MOST_CONTINUED:,} lines")
            self._reject()
        if self._active is not None:
            self._assign(self._active, pairs)

    def _assign(self, element: CircuitElement, pairs: _Pairs) -> None:
        problems = self.circuit.assign(element, pairs)
        if len(self.problems) < _MOST_FAULTS:
            self.problems.extend(f"{self._place}: {problem}" for problem in problems)

    def _new(self, pairs: _Pairs) -> None:
        kind, name = _split_name(next(pairs, ("", ""))[1])
        if kind == "circuit":
            self._clear(pairs)
            self.circuit.name, kind, name = name, "vsource", "source"
        if kind not in PROPERTIES:
            self._count_unread(f"new {kind}")
            self._active = None
            return
        # A second definition of an element changes the first one.
        element = CircuitElement(kind, name, self._place)
        self._active = self.circuit.elements[kind].setdefault(name, element)
        self._assign(self._active, pairs)

    def _edit(self, pairs: _Pairs) -> None:
        self._select(pairs)
        if self._active is not None:
            self._assign(self._active, pairs)

    def _select(self, pairs: _Pairs) -> None:
        self._active = self._find_element(next(pairs, ("", ""))[1], "edit")

    def _find_element(self, text: str, verb: str) -> CircuitElement | None:
        """Return the element that a statement names; without one the statement is counted."""
        kind, name = _split_name(text)
        element = self.circuit.find(kind, name) if kind in PROPERTIES else None
        if element is None:
            self._count_unread(f"{verb} {kind}")
        return element

    def _edit_property(self, path: str, value: str, pairs: _Pairs) -> None:
        """Apply ``class.name.property=value``, or ``property=value`` of the active element."""
        owner, _, key = path.rpartition(".")
        if owner:
            self._active = self._find_element(owner, "edit")
        if self._active is not None and find_property(self._active.kind, key):
            self._assign(self._active, iter([(key, value), *pairs]))
        elif not owner:
            self._count_unread("unknown command")

    def _include(self, pairs: _Pairs) -> None:
        key = self._find_file(next(pairs, ("", ""))[1])
        if key is not None:
            self.run(key)

    def _find_file(self, text: str) -> str | None:
        path = strip_quotes(text)
        try:
            key = self.files.find(path, get_folder(self._open_files[-1]))
        except OutsidePath:
            self._add_fault("names a file outside the upload: use a path inside the archive")
            return None
        if key is None and (path in self.missing or len(self.missing) < _MOST_KINDS):
            self.missing[path[-100:]] += 1
        return key

    def _read_places(self, pairs: _Pairs, *, is_geographic: bool) -> None:
        key = self._find_file(next(pairs, ("", ""))[1])
        if key is not None:
            for line in _LINE_ENDS.split(self.files.use(key)):
                self._count_line()
                self.places.read_row(line, is_geographic=is_geographic)

    def _set_place(self, pairs: _Pairs) -> None:
        values = [value for _, value in pairs]
        self.places.read_row(" ".join(values), is_geographic=False)

    def _set(self, pairs: _Pairs) -> None:
        for name, value in pairs:
            try:
                if name and "voltagebases".startswith(name) and len(name) > 1:
                    bases = [read_number(part) for part in split_list(value)[:_MOST_KINDS]]
                    self.circuit.voltage_bases = [base for base in bases if base > 0]
                elif name == "defaultbasefrequency":
                    self.circuit.frequency = read_number(value)
                else:
                    self._count_unread(f"set {name}")
            except ValueError:
                self._add_fault(f"{name[:_MOST_NAME]} is not a usable number")

    def _set_voltage(self, pairs: _Pairs) -> None:
        order = iter(("bus", "kvll", "kvln"))
        given = {name or next(order, ""): value for name, value in pairs}
        factor = 1.0 if "kvll" in given else 3**0.5
        bus = strip_quotes(given.get("bus", "")).lower().partition(".")[0]
        try:
            kv = read_number(given.get("kvll") or given.get("kvln", "")) * factor
        except ValueError:
            kv = 0.0
        if kv > 0:
            self.circuit.bus_voltages[bus] = kv
        else:
            self._count_unread("setkvbase")

    def _clear(self, _pairs: _Pairs) -> None:
        """Start a new circuit; what was not an element stays, such as options and places."""
        before, self._active = self.circuit, None
        if before.name:
            self.circuit = Circuit(faults=before.faults, frequency=before.frequency)

    def _switch(self, pairs: _Pairs, *, is_open: bool) -> None:
        verb = "open" if is_open else "close"
        element = self._find_element(next(pairs, ("", ""))[1], verb)
        numbers = [strip_quotes(value) for _, value in pairs]
        if len(numbers) > 1 and numbers[1] != "0":
            self._count_unread(f"{verb} one conductor")
        elif element is not None:
            element.is_open = is_open

    def _set_enabled(self, pairs: _Pairs, *, is_enabled: bool) -> None:
        element = self._find_element(next(pairs, ("", ""))[1], "enable or disable")
        if element is not None:
            element.values["enabled"] = "yes" if is_enabled else "no"


def _split_name(text: str) -> tuple[str, str]:
    kind, _, name = strip_quotes(text).lower().partition(".")
    return kind, name
