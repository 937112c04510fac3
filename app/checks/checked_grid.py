"""A grid as the rules see it: columns by name, ends of branches, islands, distances, regions."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.grid.grid import UNKNOWN_CLASS, Grid, LabelSet, TextColumn, find_islands
from ml.arrays import BoolArray, FloatArray, IntArray

PER_UNIT_MVA = 100.0
"""Base of all impedances of a stored grid."""
GEOGRAPHIC = "geographic coordinates"
SUBSTATIONS = "substations named by the source"
BRANCH_KINDS = "kinds of branches"
REGIONS = "a label set or text column area, zone, region or country"
BUS_TYPES = "the label set bus_type"
_REGION_NAMES = ("area", "zone", "region", "country")
_ELECTRICAL = ("r", "x", "b", "rating", "tap", "shift")
_EARTH_RADIUS_KM = 6371.0


@dataclass(frozen=True, eq=False)
class CheckedGrid:
    """A grid and its label sets; what several rules need is computed once."""

    grid: Grid
    label_sets: Sequence[LabelSet] = ()

    def list_missing(self, needs: Sequence[str]) -> list[str]:
        """Name the needs of a rule that this grid does not meet."""
        return [need for need in needs if not self._has(need)]

    def _has(self, need: str) -> bool:
        grid = self.grid
        facts = {
            GEOGRAPHIC: grid.coordinate_system == "geographic",
            SUBSTATIONS: grid.substations is not None and grid.substations.is_given,
            BRANCH_KINDS: self._is_electrical or len(grid.kind_names) > 1,
            REGIONS: bool(self.region_sets),
            BUS_TYPES: self.find_labels("bus_type") is not None,
        }
        if need in _ELECTRICAL:
            return self._is_electrical and need in grid.branch_columns.names
        return facts[need] if need in facts else grid.find_column(need) is not None

    @cached_property
    def _is_electrical(self) -> bool:
        """Whether a power-system format gave the branches; a column of a CSV has no unit."""
        columns = self.grid.branch_columns
        units = dict(zip(columns.names, columns.units, strict=True))
        return bool(units.get("x") or units.get("rating"))

    def bus(self, name: str) -> FloatArray:
        """Return a column of the buses, (N,); zeros if the grid does not have it."""
        column = self.grid.find_column(name)
        return np.zeros(self.grid.bus_count) if column is None else column

    def branch(self, name: str) -> FloatArray:
        """Return a column of the branches, (E,); zeros if the grid does not have it."""
        columns = self.grid.branch_columns
        if name not in columns.names:
            return np.zeros(self.grid.branch_count)
        return columns.values[:, columns.names.index(name)]

    def find_labels(self, name: str) -> LabelSet | None:
        """Return the label set of this name, if the grid has it."""
        return next((one for one in self.label_sets if one.name == name), None)

    @cached_property
    def region_sets(self) -> tuple[LabelSet, ...]:
        """The label sets and text columns that divide the grid into regions."""
        sets = [one for one in self.label_sets if one.name in _REGION_NAMES]
        taken = {one.name for one in sets}
        columns = [
            _read_regions(name.casefold(), column)
            for name, column in self.grid.text_columns.items()
            if name.casefold() in _REGION_NAMES and name.casefold() not in taken
        ]
        return (*sets, *columns)

    def is_kind(self, name: str) -> BoolArray:
        """Return which branches are of a kind, (E,)."""
        names = self.grid.kind_names
        code = names.index(name) if name in names else -1
        chosen: BoolArray = self.grid.kinds == code
        return chosen

    @cached_property
    def lines(self) -> BoolArray:
        """Which branches are lines, (E,)."""
        return self.is_kind("line")

    @cached_property
    def transformers(self) -> BoolArray:
        """Which branches are transformers, (E,); none if every branch is called one.

        Some converted cases give every branch a ratio, so that the kind distinguishes nothing.
        """
        marked = self.is_kind("transformer")
        return ~marked if marked.all() else marked

    @cached_property
    def end_kv(self) -> FloatArray:
        """Base voltages of both ends of the branches in kV, (E, 2)."""
        return self.bus("base_kv")[self.grid.ends]

    @cached_property
    def voltage_ratio(self) -> FloatArray:
        """Higher over lower base voltage of the ends, (E,); 1 if one of them is unknown."""
        low, high = self.end_kv.min(axis=1, initial=np.inf), self.end_kv.max(axis=1, initial=0.0)
        ratio: FloatArray = np.divide(high, low, out=np.ones(len(low)), where=low > 0)
        return ratio

    @cached_property
    def islands(self) -> IntArray:
        """Number of the connected component of each bus, (N,)."""
        return find_islands(self.grid.bus_count, self.grid.ends)

    @cached_property
    def degree(self) -> IntArray:
        """Number of branches of each bus, (N,)."""
        return np.bincount(self.grid.ends.ravel(), minlength=self.grid.bus_count)

    @cached_property
    def length_km(self) -> FloatArray:
        """Great-circle distance between the ends of the branches, (E,); nan if not known."""
        if self.grid.coordinate_system != "geographic":
            return np.full(self.grid.branch_count, np.nan)
        places = self.grid.coordinates[self.grid.ends]
        return measure_km(places[:, 0], places[:, 1])


def _read_regions(name: str, column: TextColumn) -> LabelSet:
    """Return a text column as regions; spellings that differ in case only are one region."""
    first: dict[str, int] = {}
    codes = [first.setdefault(text.casefold(), len(first)) for text in column.values]
    names = dict(zip(reversed(codes), reversed(column.values), strict=True))
    classes = np.array([*codes, UNKNOWN_CLASS], dtype=np.int64)[column.codes]
    class_names = tuple(names[code] for code in range(len(first)))
    return LabelSet(name, class_names, classes, f"column {name!r} of the file")


def measure_km(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return great-circle distances between longitude-latitude pairs in degrees.

    Equation: haversine, ``2 R asin(sqrt(sin^2(dlat/2) + cos(lat1) cos(lat2) sin^2(dlon/2)))``.
    Shapes: (K, 2), (K, 2) -> (K,).
    """
    lon1, lat1, lon2, lat2 = np.deg2rad(np.concatenate([first, second], axis=1)).T
    half = np.sin((lat2 - lat1) / 2) ** 2
    half = half + np.cos(lat1) * np.cos(lat2) * np.sin((lon2 - lon1) / 2) ** 2
    distances: FloatArray = 2 * _EARTH_RADIUS_KM * np.arcsin(np.sqrt(np.clip(half, 0.0, 1.0)))
    return distances
