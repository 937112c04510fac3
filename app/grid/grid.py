"""The neutral grid that every reader ends in: columns, not objects."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ml.arrays import FloatArray, IntArray

CoordinateSystem = Literal["geographic", "schematic", "none"]
"""``geographic``: columns are longitude, latitude; ``schematic``: x, y of a drawing."""

LabelSource = Literal["file", "catalogue", "user"]
"""Who says so: the file or case of the grid, a definition of this service, or its user."""

UNKNOWN_CLASS = -1


@dataclass(frozen=True, eq=False)
class LabelSet:
    """The class of every bus under one definition; -1 where it is not known.

    Shapes: classes (N,) positions in ``class_names``.
    """

    name: str
    class_names: tuple[str, ...]
    classes: IntArray
    definition: str
    source: LabelSource = "file"
    version: int = 1
    """Of the definition: raised when it changes, so that old sets can be told from new ones."""

    def class_counts(self) -> dict[str, int]:
        """Return how many buses each class has."""
        known = self.classes[self.classes != UNKNOWN_CLASS]
        counts = np.bincount(known, minlength=len(self.class_names))
        return dict(zip(self.class_names, counts.tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class Columns:
    """Named numbers of buses or branches, with their units.

    Shapes: values (rows, len(names)); no rows at all where there are no names.
    """

    names: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    values: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))


@dataclass(frozen=True, eq=False, kw_only=True)
class Grid:
    """Buses and branches of one power grid: immutable.

    Parallel branches stay apart; ``ml.Graph`` adds their weights up. ``bus_columns`` are used
    as features only when they are named: shunts, degree, generation. ``branch_columns`` are
    what the file says of a branch, whatever its weight was made of.
    Shapes: coordinates (N, 2) with nan where unknown, features (N, Q), ends (E, 2) positions
        of buses, weights (E,), kinds (E,) positions in ``kind_names``.
    """

    name: str
    source: str
    bus_ids: tuple[str, ...]
    aliases: Mapping[str, tuple[str, ...]]
    """Other names of the buses by kind (``name``, ...); "" where a bus has none."""
    coordinates: FloatArray
    coordinate_system: CoordinateSystem
    feature_names: tuple[str, ...]
    feature_units: tuple[str, ...]
    features: FloatArray
    ends: IntArray
    weights: FloatArray
    kinds: IntArray
    kind_names: tuple[str, ...]
    bus_columns: Columns = field(default_factory=Columns)
    branch_columns: Columns = field(default_factory=Columns)
    packed: bytes | None = field(default=None, init=False, repr=False)
    """The packed form, once ``app.grid.packing`` has made or read it; a changed copy has none."""
    _positions: dict[str, list[int]] | None = field(default=None, init=False, repr=False)
    """Positions of buses by id and alias; built by the first call of ``find_buses``."""

    @property
    def bus_count(self) -> int:
        """How many buses there are."""
        return len(self.bus_ids)

    @property
    def branch_count(self) -> int:
        """How many branches there are, parallel ones apart."""
        return len(self.ends)

    @property
    def bus_names(self) -> tuple[str, ...]:
        """The name of every bus, "" where it has none."""
        return self.aliases.get("name") or ("",) * self.bus_count

    def find_column(self, name: str) -> FloatArray | None:
        """Return a column of the buses, a feature or one kept apart."""
        if name in self.feature_names:
            return self.features[:, self.feature_names.index(name)]
        if name in self.bus_columns.names:
            return self.bus_columns.values[:, self.bus_columns.names.index(name)]
        return None

    def find_buses(self, text: str) -> list[int]:
        """Return the positions of the buses an id or another name may mean: usually one."""
        positions = self._positions
        if positions is None:
            # Not a cached_property: its one lock would let every grid wait for the slowest.
            positions = self._index_names()
            object.__setattr__(self, "_positions", positions)
        return positions.get(text, [])

    def _index_names(self) -> dict[str, list[int]]:
        found: defaultdict[str, dict[int, None]] = defaultdict(dict)
        for names in self.aliases.values():
            for position, name in enumerate(names):
                if name:
                    found[name][position] = None
        ids = {bus_id: [position] for position, bus_id in enumerate(self.bus_ids)}
        return {name: list(positions) for name, positions in found.items()} | ids


@dataclass(frozen=True, eq=False)
class ReadGrid:
    """What a reader hands over: the grid, its label sets and the report of the import."""

    grid: Grid
    label_sets: tuple[LabelSet, ...]
    report: dict[str, Any]
