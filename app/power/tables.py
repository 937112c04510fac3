"""Buses, branches and generators as power engineers keep them: what most formats carry."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

import numpy as np

from app.grid.grid import CoordinateSystem
from app.grid.report import SourceNotes
from ml.arrays import BoolArray, FloatArray, IntArray

LINE, TRANSFORMER, SWITCH, LINK = range(4)
KIND_NAMES = ("line", "transformer", "switch", "link")
"""``link``: an impedance, a direct-current line or an equivalent."""

BUS_TYPES = ("PQ", "PV", "slack", "isolated")


@dataclass(frozen=True, eq=False, kw_only=True)
class BusTable:
    """The buses of a file, in its order; voltages are nan where the file has none.

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
    """Positions in ``BUS_TYPES``; -1 where the file does not say."""
    regions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of parts of the grid by kind: ``area``, ``zone``; "" where a bus has none."""
    coordinates: FloatArray | None = None
    coordinate_system: CoordinateSystem = "none"


@dataclass(frozen=True, eq=False, kw_only=True)
class BranchTable:
    """The branches of a file, out-of-service ones included.

    Shapes: ends (E, 2) positions of buses, every other column (E,). Units: per unit on the
        system's base; rating MVA, 0 where there is none.
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
    """What a reader of a power-system format hands on."""

    name: str
    source: str
    base_mva: float
    buses: BusTable
    branches: BranchTable
    generators: GeneratorTable
    notes: SourceNotes = field(default_factory=SourceNotes)
    """Remarks of the reader for the import report."""

    @property
    def bus_count(self) -> int:
        """How many buses the file has."""
        return len(self.buses.ids)


def sum_by_bus(bus_count: int, buses: IntArray, values: FloatArray) -> FloatArray:
    """Add up values at the buses they belong to."""
    return np.bincount(buses, weights=values, minlength=bus_count).astype(np.float64)
