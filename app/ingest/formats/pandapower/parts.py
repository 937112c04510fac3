"""A pandapower network, and helpers for its branch tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from app.ingest.formats.pandapower.frames import Frame, get_frame
from app.power.tables import BranchTable
from ml.arrays import BoolArray, FloatArray, IntArray
from ml.errors import Fault


@dataclass
class Net:
    """A pandapower network: its tables, and the buses, base and faults that all readers share."""

    parts: Mapping[str, Any]
    bus: Frame
    place: Mapping[int, int]
    """Position of a bus by its pandapower index."""
    base_mva: float
    frequency: float
    limit: int
    faults: list[Fault] = field(default_factory=list)

    def frame(self, name: str) -> Frame:
        """Return a table of the network."""
        return get_frame(self.parts, name, self.limit)


def read_ends(net: Net, frame: Frame, source: str, target: str) -> IntArray:
    """Return the positions of the buses at both ends, (E, 2)."""
    columns: Any = [frame.positions(name, net.place, net.faults) for name in (source, target)]
    return np.column_stack(columns).astype(np.int64)


def find_in_service(frame: Frame, opened: set[int]) -> BoolArray:
    """Return which elements are in service and not disconnected by an open switch."""
    closed = np.array([index not in opened for index in frame.index], dtype=np.bool_)
    return closed & frame.truths("in_service")


def make_branches(
    kind: int, ends: IntArray, in_service: BoolArray, **columns: FloatArray
) -> BranchTable:
    """Return the branches of one table; an omitted column has the value of a plain link."""
    zero = np.zeros(len(ends))
    plain = dict.fromkeys(("resistance", "reactance", "charging", "rating", "shift"), zero)
    return BranchTable(
        ends=ends,
        kinds=np.full(len(ends), kind),
        in_service=in_service,
        **{**plain, "tap": np.ones(len(ends)), **columns},
    )
