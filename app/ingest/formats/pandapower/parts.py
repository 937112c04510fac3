"""What the readers of the branch tables of a pandapower net share."""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from app.ingest.formats.pandapower.frames import Frame
from app.power.tables import BranchTable
from ml.arrays import BoolArray, FloatArray, IntArray
from ml.errors import Fault


class Net(Protocol):
    """The parts of a net that a reader of branches needs."""

    bus: Frame
    place: Mapping[int, int]
    base_mva: float
    frequency: float
    faults: list[Fault]

    def frame(self, name: str) -> Frame:
        """Return another table of the net."""


def read_ends(net: Net, frame: Frame, source: str, target: str) -> IntArray:
    """Return the positions of the buses at both ends, (E, 2)."""
    columns: Any = [frame.positions(name, net.place, net.faults) for name in (source, target)]
    return np.column_stack(columns).astype(np.int64)


def find_in_service(frame: Frame, opened: set[int]) -> BoolArray:
    """Return which elements are on, and not taken out by an open switch."""
    closed = np.array([index not in opened for index in frame.index], dtype=np.bool_)
    return closed & frame.truths("in_service")


def make_branches(
    kind: int, ends: IntArray, in_service: BoolArray, **columns: FloatArray
) -> BranchTable:
    """Return the branches of one table; a column that is not given is that of a plain link."""
    zero = np.zeros(len(ends))
    plain = dict.fromkeys(("resistance", "reactance", "charging", "rating", "shift"), zero)
    return BranchTable(
        ends=ends,
        kinds=np.full(len(ends), kind),
        in_service=in_service,
        **{**plain, "tap": np.ones(len(ends)), **columns},
    )
