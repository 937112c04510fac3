"""Finds the buses that the rows of a label file name: by id, name, alias or coordinates."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from app.errors import LabelsRejected
from app.grid.grid import Grid
from app.grid.listing import join_first
from app.grid.text_rules import shorten
from app.labels.files.table import FileRow
from ml.arrays import FloatArray
from ml.errors import Fault

_EARTH_METRES = 6_371_008.8
_PLACE_DECIMALS = 5
"""Of degrees: buses within about 1 m are at one place."""
_BLANKS = re.compile(r"[\s_-]+")
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class FoundBuses:
    """The buses of a row, or the problem if there is no bus or the row contradicts itself."""

    buses: Sequence[int] = ()
    problem: str | None = None
    kind: str = "unknown"
    metres: float | None = None


class BusLookup:
    """Index of the buses of one grid; every part is built when a row first needs it."""

    def __init__(self, grid: Grid, within_metres: float) -> None:
        self._grid = grid
        self._within = within_metres
        self._ids = {bus_id: (at,) for at, bus_id in enumerate(grid.bus_ids)}
        self._aliases = _index_aliases(grid)
        self._similar: Mapping[str, str] | None = None

    def find_all(self, rows: Sequence[FileRow]) -> list[FoundBuses]:
        """Return the buses of each row: by id, else by name, else by coordinates.

        Raises: LabelsRejected if only coordinates name the buses and the grid has none.
        """
        found = [self._find_named(row) for row in rows]
        placed = [at for at, row in enumerate(rows) if not row.bus and not row.name]
        located = [at for at in placed if rows[at].latitude or rows[at].longitude]
        if located:
            nearest = self._find_nearest([rows[at] for at in located])
            for at, one in zip(located, nearest, strict=True):
                found[at] = one
        return found

    def _find_named(self, row: FileRow) -> FoundBuses:
        if not row.bus and not row.name:
            return FoundBuses(problem="names no bus")
        by_name = self._aliases.get(row.name, ()) or self._ids.get(row.name, ())
        if not row.bus:
            return self._explain("name", row.name, by_name)
        by_id = self._ids.get(row.bus, ()) or self._aliases.get(row.bus, ())
        if by_id and by_name and not set(by_id) & set(by_name):
            problem = f"{shorten(row.bus)} and {shorten(row.name)} are different buses"
            return FoundBuses(problem=problem, kind="contradictory")
        return self._explain("id or alias", row.bus, by_id)

    def _explain(self, what: str, text: str, buses: Sequence[int]) -> FoundBuses:
        if buses:
            return FoundBuses(buses)
        if self._similar is None:
            names = (*self._aliases, *self._ids)
            self._similar = {_simplify(name): name for name in names}
        similar = self._similar.get(_simplify(text))
        hint = "" if similar is None else f"; did you mean {shorten(similar)}?"
        return FoundBuses(problem=f"no bus has the {what} {shorten(text)}{hint}")

    def _find_nearest(self, rows: Sequence[FileRow]) -> list[FoundBuses]:
        if self._grid.coordinate_system != "geographic":
            raise LabelsRejected(
                "The file names buses by coordinates only.",
                [Fault("file", "this grid has no geographic coordinates; name the buses by id")],
            )
        points = np.array(
            [[_read_degrees(row.longitude), _read_degrees(row.latitude)] for row in rows]
        )
        outside = ~((np.abs(points[:, 0]) <= 180) & (np.abs(points[:, 1]) <= 90))
        tree, buses = self._index_places()
        chords, found = tree.query(_to_sphere(np.where(outside[:, None], 0.0, points)))
        nearest = np.asarray(found)
        metres = 2 * _EARTH_METRES * np.arcsin(np.minimum(chords / 2, 1))
        return [
            FoundBuses(problem="has no valid latitude and longitude in degrees", kind="invalid")
            if outside[at]
            else self._judge(buses[nearest[at]], float(metres[at]))
            for at in range(len(rows))
        ]

    def _judge(self, buses: Sequence[int], metres: float) -> FoundBuses:
        if metres <= self._within:
            return FoundBuses(buses, metres=metres)
        nearest = shorten(self._grid.bus_ids[buses[0]])
        away = f"{metres:,.0f} m away" if metres < 10_000 else f"{metres / 1000:,.0f} km away"
        return FoundBuses(
            problem=f"no bus within {self._within:g} m: the nearest, {nearest}, is {away}"
        )

    def _index_places(self) -> tuple[cKDTree, list[tuple[int, ...]]]:
        """Return a tree of the places of the grid and the buses at each place."""
        known = np.flatnonzero(np.isfinite(self._grid.coordinates).all(axis=1))
        if not len(known):
            fault = Fault("file", "no bus of this grid has coordinates; name the buses by id")
            raise LabelsRejected("The file names buses by coordinates only.", [fault])
        rounded = np.round(self._grid.coordinates[known], _PLACE_DECIMALS)
        _, first, place = np.unique(rounded, axis=0, return_index=True, return_inverse=True)
        buses: list[list[int]] = [[] for _ in first]
        for bus, at in zip(known.tolist(), place.ravel().tolist(), strict=True):
            buses[at].append(bus)
        tree = cKDTree(_to_sphere(self._grid.coordinates[known[first]]))
        return tree, [tuple(some) for some in buses]


def describe_several(grid: Grid, buses: Sequence[int], metres: float | None) -> str:
    """Name the buses that one row may mean."""
    named = join_first([grid.bus_ids[bus] for bus in buses], _MOST_NAMED)
    what = "have this name" if metres is None else "are at the nearest place"
    return f"{len(buses)} buses {what}: {named}"


def _index_aliases(grid: Grid) -> dict[str, tuple[int, ...]]:
    buses: defaultdict[str, dict[int, None]] = defaultdict(dict)
    for names in grid.aliases.values():
        for at, name in enumerate(names):
            if name:
                buses[name][at] = None
    return {name: tuple(some) for name, some in buses.items()}


def _simplify(text: str) -> str:
    """Return what texts of different spelling share: spreadsheets write 7 as 7.0 or 007."""
    simple = _BLANKS.sub(" ", text.casefold()).strip().removesuffix(".0")
    return simple.lstrip("0") or simple


def _read_degrees(text: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return float("nan")


def _to_sphere(points: FloatArray) -> FloatArray:
    """Return longitudes and latitudes in degrees as points of the unit sphere, (n, 3)."""
    longitude, latitude = np.radians(points).T
    level = np.cos(latitude)
    return np.column_stack([level * np.cos(longitude), level * np.sin(longitude), np.sin(latitude)])
