"""What the readers of the branch tables of a pandapower net share."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from app.ingest.pandapower_frames import Frame
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


class Part(NamedTuple):
    """The branches of one table, per unit on the base of the net; see ``BranchTable``."""

    kind: int
    ends: IntArray
    resistance: FloatArray
    reactance: FloatArray
    charging: FloatArray
    rating: FloatArray
    in_service: BoolArray
    tap: FloatArray
    shift: FloatArray


def read_ends(net: Net, frame: Frame, source: str, target: str) -> IntArray:
    """Return the positions of the buses at both ends, (E, 2)."""
    columns: Any = [frame.positions(name, net.place, net.faults) for name in (source, target)]
    return np.column_stack(columns).astype(np.int64)


def find_in_service(frame: Frame, opened: set[int]) -> BoolArray:
    """Return which elements are on, and not taken out by an open switch."""
    closed = np.array([index not in opened for index in frame.index], dtype=np.bool_)
    return closed & frame.truths("in_service")


def no_taps(count: int) -> tuple[FloatArray, FloatArray]:
    """Return the ratio and the phase shift of branches that transform nothing."""
    return np.ones(count), np.zeros(count)
