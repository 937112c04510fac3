"""Which column of a label file names the bus, its place or its class."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from app.errors import LabelsRejected
from app.grid.listing import join_first
from app.grid.text_rules import shorten
from ml.errors import Fault

BusKey = Literal["bus", "name", "coordinates"]
"""What a file names its buses by: id (or alias), name (or other alias), or coordinates."""

_BUS = ("bus", "busid", "id", "busnumber", "busno", "busi", "number", "node", "nodeid")
_NAME = ("name", "busname", "nodename", "alias", "station", "substation")
_LATITUDE = ("lat", "latitude", "geolat", "gpslat", "y")
_LONGITUDE = ("lon", "lng", "long", "longitude", "geolon", "gpslon", "x")
_CLASS = ("label", "class", "category", "classname")
_OFTEN_CLASS = (
    *("zone", "area", "region", "group", "type", "kind", "value", "role", "feeder", "subnet"),
    *("operator", "owner", "country", "fuel"),
)
_SEPARATING = re.compile(r"[^0-9a-z]+")
_MOST_NAMED = 10


class LabelColumns(NamedTuple):
    """Positions of the columns in the header; None where the file has none."""

    label: int
    bus: int | None
    name: int | None
    latitude: int | None
    longitude: int | None

    def describe(self, header: Sequence[str]) -> dict[str, str]:
        """Return the column of the file for each column that is used."""
        pairs = zip(self._fields, self, strict=True)
        return {field: header[at] for field, at in pairs if at is not None}


def count_known_names(header: Sequence[str]) -> int:
    """Count the cells of a line that are known names of columns."""
    known = {*_BUS, *_NAME, *_LATITUDE, *_LONGITUDE, *_CLASS, *_OFTEN_CLASS}
    return sum(_simplify(name) in known for name in header)


def find_columns(
    header: Sequence[str], by: BusKey | None = None, label_column: str | None = None
) -> LabelColumns:
    """Find the columns of a label file by their names, in any case and with any blanks.

    The class is in the column that the request names, else in ``label`` or ``class``, else in
    the only column that can be it. Raises: LabelsRejected with every missing column.
    """
    simple = [_simplify(name) for name in header]
    bus, name = (_find_first(simple, names) for names in (_BUS, _NAME))
    latitude, longitude = (_find_first(simple, names) for names in (_LATITUDE, _LONGITUDE))
    if latitude is None or longitude is None:
        latitude = longitude = None
    keys = [at for at in (bus, name, latitude, longitude) if at is not None]
    label, faults = _find_label(header, simple, keys, label_column)
    if label in keys:
        bus, name = (None if at == label else at for at in (bus, name))
    if by is not None:
        bus = bus if by == "bus" else None
        name = name if by == "name" else None
        latitude, longitude = (latitude, longitude) if by == "coordinates" else (None, None)
    if bus is None and name is None and latitude is None:
        faults.insert(0, Fault("header", _describe_missing(header, by)))
    if faults or label is None:
        raise LabelsRejected("The file lacks a column.", faults)
    return LabelColumns(label, bus, name, latitude, longitude)


def _find_label(
    header: Sequence[str], simple: Sequence[str], keys: Sequence[int], wanted: str | None
) -> tuple[int | None, list[Fault]]:
    if wanted is not None:
        if wanted in header:
            return header.index(wanted), []
        return None, [Fault("label_column", f"{shorten(wanted)} is not in the header")]
    sure = _find_first(simple, _CLASS)
    if sure is not None:
        return sure, []
    rest = [at for at in range(len(header)) if at not in keys and simple[at]]
    likely = [at for at in rest if simple[at] in _OFTEN_CLASS]
    for candidates in (likely, rest):
        if len(candidates) == 1:
            return candidates[0], []
    if not rest:
        return None, [Fault("header", "has no column of classes, such as `label`")]
    named = join_first([shorten(header[at]) for at in likely or rest], _MOST_NAMED)
    problem = f"has no column `label`; name the column of classes with `label_column`: {named}"
    return None, [Fault("header", problem)]


def _describe_missing(header: Sequence[str], by: BusKey | None) -> str:
    columns = {
        "bus": "no column of bus ids (bus, bus_id, id)",
        "name": "no column of names (name, bus_name, alias)",
        "coordinates": "not both columns of coordinates (lat, lon)",
    }
    wanted = "; ".join(columns.values()) if by is None else columns[by]
    return f"has {wanted}; it reads {join_first([shorten(one) for one in header], _MOST_NAMED)}"


def _find_first(simple: Sequence[str], names: Sequence[str]) -> int | None:
    return next(_positions(simple, names), None)


def _positions(simple: Sequence[str], names: Sequence[str]) -> Iterator[int]:
    for name in names:
        if name in simple:
            yield simple.index(name)


def _simplify(name: str) -> str:
    return _SEPARATING.sub("", name.casefold())
