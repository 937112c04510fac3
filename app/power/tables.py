"""Power tables: buses, branches and generators with the columns that most formats have."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

import numpy as np

from app.grid.grid import CoordinateSystem, Substations
from app.grid.report import SourceNotes
from ml.arrays import BoolArray, FloatArray, IntArray

LINE, TRANSFORMER, SWITCH, LINK = range(4)
KIND_NAMES = ("line", "transformer", "switch", "link")
"""``link``: an impedance, a direct-current line or an equivalent."""

BUS_TYPES = ("PQ", "PV", "slack", "isolated")


@dataclass(frozen=True, eq=False, kw_only=True)
class BusTable:
    """The buses of a file, in its order; a missing voltage is nan.

    Shapes: every column (N,). Units: MW, Mvar (also shunts, at 1 p.u.), kV, degrees, p.u.
    """

    ids: tuple[str, ...]
    aliases: Mapping[str, tuple[str, ...]]
    demand: FloatArray
    reactive_demand: FloatArray
    conductance: FloatArray
    susceptance: FloatArray
    magnitude: FloatArray
    angle: FloatArray
    base_kv: FloatArray
    types: IntArray
    """Positions in ``BUS_TYPES``; -1 for unknown."""
    regions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of regions and other classes by kind (``area``, ``zone``, ``phases``), "" for none."""
    coordinates: FloatArray | None = None
    coordinate_system: CoordinateSystem = "none"
    reference_system: str | None = None
    """Of projected coordinates, such as ``EPSG:25832``; None for degrees, or if it is unknown."""
    substations: Substations | None = None
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Columns of text by name, "" for a bus without one; those fit for labels are kept."""


@dataclass(frozen=True, eq=False, kw_only=True)
class BranchTable:
    """The branches of a file, out-of-service ones included.

    Shapes: ends (E, 2) positions of buses, every other column (E,). Units: per unit on the
        system's base; rating in MVA, 0 for no limit.
    """

    ends: IntArray
    kinds: IntArray
    resistance: FloatArray
    reactance: FloatArray
    charging: FloatArray
    rating: FloatArray
    in_service: BoolArray
    tap: FloatArray
    """Off-nominal ratio at the first end, 1 for a line."""
    shift: FloatArray
    """Phase shift in degrees."""


def make_plain_branches(ends: IntArray, kinds: IntArray) -> BranchTable:
    """Return branches in service without electrical data."""
    zero = np.zeros(len(ends))
    return BranchTable(
        ends=ends,
        kinds=kinds,
        resistance=zero,
        reactance=zero,
        charging=zero,
        rating=zero,
        in_service=np.ones(len(ends), dtype=np.bool_),
        tap=np.ones(len(ends)),
        shift=zero,
    )


def join_branches(tables: Sequence[BranchTable]) -> BranchTable:
    """Return the branches of all tables, one table after the other."""
    columns = (column.name for column in fields(BranchTable))
    return BranchTable(
        **{name: np.concatenate([getattr(table, name) for table in tables]) for name in columns}
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class GeneratorTable:
    """The generators of a file, out-of-service ones included. Shapes: every column (G,)."""

    buses: IntArray
    power: FloatArray
    reactive_power: FloatArray
    capacity: FloatArray
    in_service: BoolArray


@dataclass(frozen=True, eq=False, kw_only=True)
class PowerTables:
    """Result of the reader of a power-system format."""

    name: str
    source: str
    base_mva: float
    buses: BusTable
    branches: BranchTable
    generators: GeneratorTable
    notes: SourceNotes = field(default_factory=SourceNotes)
    """Remarks of the reader for the import report."""
    absent: frozenset[str] = frozenset()
    """Names of columns that the format does not have: zeros here, left out of the grid."""
    remarks: Sequence[str] = ()
    """Further notes for the import report."""

    @property
    def bus_count(self) -> int:
        """The number of buses of the file."""
        return len(self.buses.ids)


def sum_by_bus(bus_count: int, buses: IntArray, values: FloatArray) -> FloatArray:
    """Sum values per bus, (N,)."""
    return np.bincount(buses, weights=values, minlength=bus_count).astype(np.float64)
