"""The grid: buses and branches as columns, the same for every source format."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import scipy.sparse as sp

from ml import islands_of
from ml.arrays import FloatArray, IntArray

CoordinateSystem = Literal["geographic", "approximate", "schematic", "none"]
"""``geographic``: columns are longitude, latitude; ``approximate``: the same, but only good
enough for a map, not for learning, distances or substations; ``schematic``: x, y of a drawing."""

LabelSource = Literal["file", "catalogue", "user"]
"""Origin of a label set: the file of the grid, a definition of this service, or a user."""

SubstationSource = Literal["file", "column", "coordinates", "transformers"]
"""Origin of the substations: the format's own structure, a column ``substation`` of the buses,
equal geographic coordinates, or buses joined by transformers."""

UNKNOWN_CLASS = -1


@dataclass(frozen=True, eq=False)
class LabelSet:
    """The class of every bus under one definition; -1 for unknown.

    Shapes: classes (N,) positions in ``class_names``.
    """

    name: str
    class_names: tuple[str, ...]
    classes: IntArray
    definition: str
    source: LabelSource = "file"
    version: int = 1
    """Raised whenever the label set of this name is replaced."""
    hides: Mapping[str, str] = field(default_factory=dict)
    """Columns that give the label away, with the reasons, beside those that its name implies."""

    def class_counts(self) -> dict[str, int]:
        """Return the number of buses per class."""
        labelled = self.classes[self.classes != UNKNOWN_CLASS]
        counts = np.bincount(labelled, minlength=len(self.class_names))
        return dict(zip(self.class_names, counts.tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class Columns:
    """Named numbers of buses or branches, with their units.

    Shapes: values (rows, len(names)); (0, 0) without names.
    """

    names: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    values: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))


@dataclass(frozen=True, eq=False)
class TextColumn:
    """A column of text of the buses, such as the operator: offered as labels, never a feature.

    Shapes: codes (N,) positions in ``values``; -1 for a bus without a text.
    """

    values: tuple[str, ...]
    codes: IntArray

    def find_text(self, bus: int) -> str | None:
        """Return the text of a bus if it has one."""
        code = int(self.codes[bus])
        return None if code == UNKNOWN_CLASS else self.values[code]


@dataclass(frozen=True, eq=False)
class Substations:
    """The substation of every bus.

    Shapes: groups (N,) from 0 on without gaps; names one per group, "" for a group without a
        name, or no names at all.
    """

    groups: IntArray
    source: SubstationSource
    names: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """The number of substations."""
        return int(self.groups.max(initial=-1)) + 1

    @property
    def largest(self) -> int:
        """The number of buses of the largest substation."""
        return int(np.bincount(self.groups, minlength=1).max())

    @property
    def is_given(self) -> bool:
        """Whether the source of the grid names the substations; otherwise they are derived."""
        return self.source in ("file", "column")

    def find_name(self, bus: int) -> str | None:
        """Return the name of the substation of a bus if it has one."""
        return self.names[self.groups[bus]] or None if self.names else None


@dataclass(frozen=True, eq=False, kw_only=True)
class Grid:
    """Buses and branches of one power grid: immutable.

    Parallel branches stay separate; ``ml.Graph`` adds their weights. ``bus_columns`` (shunts,
    degree, generation) are features only for a request that names them. ``branch_columns`` are
    the electrical data of the branches; the weights may be made of them.
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
    substations: Substations | None = None
    """None: unknown, or not yet derived by ``app.grid.places``."""
    text_columns: Mapping[str, TextColumn] = field(default_factory=dict)
    packed: bytes | None = field(default=None, init=False, repr=False)
    """The packed form, once ``app.grid.packing`` has made or read it; a changed copy has none."""
    _positions: dict[str, list[int]] | None = field(default=None, init=False, repr=False)
    """Positions of buses by id and alias; built by the first call of ``find_buses``."""

    @property
    def bus_count(self) -> int:
        """The number of buses."""
        return len(self.bus_ids)

    @property
    def branch_count(self) -> int:
        """The number of branches; parallel ones count separately."""
        return len(self.ends)

    @property
    def bus_names(self) -> tuple[str, ...]:
        """The name of every bus, "" where it has none."""
        return self.aliases.get("name") or ("",) * self.bus_count

    def find_column(self, name: str) -> FloatArray | None:
        """Return a feature or another column of the buses; None if there is none of this name."""
        if name in self.feature_names:
            return self.features[:, self.feature_names.index(name)]
        if name in self.bus_columns.names:
            return self.bus_columns.values[:, self.bus_columns.names.index(name)]
        return None

    def find_buses(self, text: str) -> list[int]:
        """Return the positions of all buses with this id or alias: usually one."""
        positions = self._positions
        if positions is None:
            # Not a cached_property: its one lock would let every grid wait for the slowest.
            positions = self._index_names()
            object.__setattr__(self, "_positions", positions)
        return positions.get(text, [])

    def _index_names(self) -> dict[str, list[int]]:
        by_alias: defaultdict[str, dict[int, None]] = defaultdict(dict)
        for names in self.aliases.values():
            for position, name in enumerate(names):
                if name:
                    by_alias[name][position] = None
        ids = {bus_id: [position] for position, bus_id in enumerate(self.bus_ids)}
        return {name: list(positions) for name, positions in by_alias.items()} | ids


def find_islands(bus_count: int, ends: IntArray) -> IntArray:
    """Return the number of the connected component of each bus, (N,)."""
    shape = (bus_count, bus_count)
    links = sp.csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=shape)
    return islands_of(links)
