"""Substations, regions and places of a CGMES model, which ``powerio`` does not read."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from xml.parsers import expat

import numpy as np

from app.grid.text_rules import find_text_problem, replace_controls
from app.ingest.formats.guards.xml_guard import guard_parser, parse_guarded
from ml.arrays import FloatArray

_SUBSTATION = "Substation"
_REGION, _SUBREGION = "GeographicalRegion", "SubGeographicalRegion"
_NAMED = (_SUBSTATION, _SUBREGION, _REGION)
_UP = {
    "TopologicalNode.ConnectivityNodeContainer",
    "ConnectivityNode.ConnectivityNodeContainer",
    "Bay.VoltageLevel",
    "VoltageLevel.Substation",
    "Substation.Region",
    "SubGeographicalRegion.Region",
}
"""References on the way from a bus over its substation to its region."""
_PLACED, _SYSTEM, _POINT_OF = (
    "Location.PowerSystemResources",
    "Location.CoordinateSystem",
    "PositionPoint.Location",
)
_X, _Y, _ORDER = (
    "PositionPoint.xPosition",
    "PositionPoint.yPosition",
    "PositionPoint.sequenceNumber",
)
_URN, _NAME = "CoordinateSystem.crsUrn", "IdentifiedObject.name"
_REFERENCES = {_PLACED, _SYSTEM, _POINT_OF}
_TEXTS = {_X, _Y, _ORDER, _URN}
_EPSG = re.compile(r"EPSG:[\d.]*:?(\d{4,6})$", re.IGNORECASE)
_MOST_TEXT = 1000


class NodePlaces(NamedTuple):
    """Where the buses of a model are.

    Shapes: substations (N) names, "" for unknown; coordinates (N, 2) x and y, nan for unknown.
    """

    substations: list[str]
    regions: dict[str, tuple[str, ...]]
    coordinates: FloatArray
    reference_system: str | None
    """Such as ``EPSG:4326``, the default of the profile; None if there are several."""


class _Search:
    """Collects names, references and positions of the objects of all documents."""

    def __init__(self) -> None:
        self.above: dict[str, str] = {}
        self.names: dict[str, dict[str, str]] = {kind: {} for kind in _NAMED}
        self.properties: defaultdict[str, dict[str, str]] = defaultdict(dict)
        """References and texts of the GL profile: by property, then by object."""
        self._depth = 0
        self._object = ""
        self._kind = ""
        self._property = ""
        self._text: list[str] | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Handle the start of an object or of one of its properties."""
        self._depth += 1
        kind = _local(tag)
        values = {_local(name): value for name, value in attributes.items()}
        if self._depth == 2:
            self._object = _find_id(values.get("ID") or values.get("about") or "")
            self._kind = kind
            if kind in self.names:
                self.names[kind].setdefault(self._object, "")
        elif kind in _UP:
            self.above[self._object] = _find_id(values.get("resource", ""))
        elif kind in _REFERENCES:
            self.properties[kind][self._object] = _find_id(values.get("resource", ""))
        elif kind in _TEXTS or (kind == _NAME and self._kind in self.names):
            self._property = kind
            self._text = []

    def text(self, text: str) -> None:
        """Handle text between elements."""
        if self._text is not None and len(self._text) < _MOST_TEXT:
            self._text.append(text)

    def end(self, _tag: str) -> None:
        """Handle the end of an element."""
        self._depth -= 1
        if self._text is None:
            return
        text = "".join(self._text).strip()
        if self._property == _NAME:
            self.names[self._kind][self._object] = text
        else:
            self.properties[self._property][self._object] = text
        self._text = None

    def climb(self, bus: str, kind: str) -> str:
        """Return the id of the object of this kind above a bus, "" if there is none."""
        place = bus
        for _ in range(len(_UP) + 1):
            if place in self.names[kind]:
                return place
            place = self.above.get(place, "")
        return ""


def find_node_places(documents: Iterable[bytes], bus_ids: Sequence[str]) -> NodePlaces:
    """Find substation, regions and position of every bus of a model.

    A substation or region without a name, or with the name of another one, goes by its id. A bus
    is at the first position point of its substation.
    Raises: GridRejected if a document is not well-formed XML.
    """
    search = _Search()
    for document in documents:
        parser = guard_parser(expat.ParserCreate(namespace_separator=" "))
        parser.start(search.start)
        parser.text(search.text)
        parser.end(search.end)
        parse_guarded(parser, document, "CGMES")
    points = _find_points(search)
    stations = [search.climb(bus, _SUBSTATION) for bus in bus_ids]
    nowhere = (math.nan, math.nan)
    regions = {
        "region": _name_all(search, bus_ids, _REGION),
        "subregion": _name_all(search, bus_ids, _SUBREGION),
    }
    return NodePlaces(
        substations=list(_name_all(search, bus_ids, _SUBSTATION)),
        regions={kind: names for kind, names in regions.items() if any(names)},
        coordinates=np.array([points.get(one, nowhere) for one in stations]).reshape(-1, 2),
        reference_system=_find_system(search),
    )


def _name_all(search: _Search, bus_ids: Sequence[str], kind: str) -> tuple[str, ...]:
    names = {place: replace_controls(name) for place, name in search.names[kind].items()}
    counts = Counter(names.values())
    titles = {
        place: name if counts[name] == 1 and not find_text_problem(name) else place
        for place, name in names.items()
    }
    return tuple(titles.get(search.climb(bus, kind), "") for bus in bus_ids)


def _find_points(search: _Search) -> dict[str, tuple[float, float]]:
    """Return the first position point of every placed object."""
    placed, orders = search.properties[_PLACED], search.properties[_ORDER]
    points: dict[str, tuple[float, tuple[float, float]]] = {}
    for point, location in search.properties[_POINT_OF].items():
        place = placed.get(location, "")
        x, y = (_number(search.properties[axis].get(point, "")) for axis in (_X, _Y))
        order = _number(orders.get(point, "")) if point in orders else 0.0
        if math.isfinite(x + y) and (place not in points or order < points[place][0]):
            points[place] = order, (x, y)
    return {place: position for place, (_, position) in points.items()}


def _find_system(search: _Search) -> str | None:
    codes = [_EPSG.search(urn) for urn in search.properties[_URN].values()]
    systems = {f"EPSG:{code.group(1)}" if code else None for code in codes} or {"EPSG:4326"}
    return systems.pop() if len(systems) == 1 else None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _local(tag: str) -> str:
    return tag.rpartition(" ")[2]


def _find_id(reference: str) -> str:
    return reference.rpartition("#")[2].removeprefix("urn:uuid:").removeprefix("_")
