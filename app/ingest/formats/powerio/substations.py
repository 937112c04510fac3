"""Substations of a CGMES model: ``powerio`` does not read them, so the profiles are searched."""

from collections import Counter
from collections.abc import Iterable
from xml.parsers import expat

from app.grid.text_rules import find_text_problem
from app.ingest.formats.guards.xml_guard import guard_parser, parse_guarded

_UP = {
    "TopologicalNode.ConnectivityNodeContainer",
    "Bay.VoltageLevel",
    "VoltageLevel.Substation",
}
"""References on the way from a bus to its substation."""
_NAME = "IdentifiedObject.name"
_MOST_TEXT = 1000


class _Search:
    """Collects the references upwards of all objects, and the names of substations."""

    def __init__(self) -> None:
        self.above: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self._depth = 0
        self._object = ""
        self._is_substation = False
        self._text: list[str] | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Handle the start of an object or of one of its properties."""
        self._depth += 1
        kind = _local(tag)
        values = {_local(name): value for name, value in attributes.items()}
        if self._depth == 2:
            self._object = _find_id(values.get("ID") or values.get("about") or "")
            self._is_substation = kind == "Substation"
            if self._is_substation:
                self.names.setdefault(self._object, "")
        elif kind in _UP:
            self.above[self._object] = _find_id(values.get("resource", ""))
        elif kind == _NAME and self._is_substation:
            self._text = []

    def text(self, text: str) -> None:
        """Handle text between elements."""
        if self._text is not None and len(self._text) < _MOST_TEXT:
            self._text.append(text)

    def end(self, _tag: str) -> None:
        """Handle the end of an element."""
        self._depth -= 1
        if self._text is not None:
            self.names[self._object] = "".join(self._text).strip()
            self._text = None

    def find_substation(self, bus: str) -> str:
        """Return the id of the substation of a bus, "" if there is none."""
        place = bus
        for _ in range(len(_UP) + 1):
            if place in self.names:
                return place
            place = self.above.get(place, "")
        return ""


def find_substation_names(documents: Iterable[bytes], bus_ids: Iterable[str]) -> list[str]:
    """Return the name of the substation of every bus, "" if unknown.

    A substation without a name, or with the name of another one, goes by its id.
    Raises: GridRejected if a document is not well-formed XML.
    """
    search = _Search()
    for document in documents:
        parser = guard_parser(expat.ParserCreate(namespace_separator=" "))
        parser.start(search.start)
        parser.text(search.text)
        parser.end(search.end)
        parse_guarded(parser, document, "CGMES")
    counts = Counter(search.names.values())
    titles = {
        place: name if counts[name] == 1 and not find_text_problem(name) else place
        for place, name in search.names.items()
    }
    return [titles.get(search.find_substation(bus), "") for bus in bus_ids]


def _local(tag: str) -> str:
    return tag.rpartition(" ")[2]


def _find_id(reference: str) -> str:
    return reference.rpartition("#")[2].removeprefix("urn:uuid:").removeprefix("_")
