"""Everything that can go wrong in ``ml``.

MlError
├── InvalidInput (a ValueError; lists every fault)
│   ├── InvalidGraph
│   ├── InvalidHyperparameter
│   └── InvalidSplit
├── ToleranceNotReached
├── TrainingDiverged
├── TrainingInterrupted
├── ArtifactRejected
├── CheckpointRejected
├── DeviceUnavailable
└── DatasetUnavailable
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: where it is and what is the matter with it."""

    where: str
    problem: str

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}"


class MlError(Exception):
    """Root of the tree."""


class InvalidInput(MlError, ValueError):
    """The caller's data break a rule; ``faults`` lists every breach found."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(str(fault) for fault in self.faults))


class InvalidGraph(InvalidInput):
    """Nodes, edges, features or labels do not make a graph."""


class InvalidHyperparameter(InvalidInput):
    """A setting lies outside its domain."""


class InvalidSplit(InvalidInput):
    """Training, validation and test nodes cannot be formed or overlap."""


class ToleranceNotReached(MlError):
    """An approximation could not be made as accurate as was asked for."""


class TrainingDiverged(MlError):
    """The loss or the weights stopped being finite."""

    def __init__(self, epoch: int, loss: float) -> None:
        self.epoch = epoch
        self.loss = loss
        super().__init__(f"training diverged at epoch {epoch}: loss {loss}")


class TrainingInterrupted(MlError):
    """The caller asked the trainer to stop; carries the epoch that was reached."""

    def __init__(self, epoch: int) -> None:
        self.epoch = epoch
        super().__init__(f"training was interrupted after epoch {epoch}")


class ArtifactRejected(MlError):
    """A stored model is damaged, incomplete or not what its manifest says."""


class CheckpointRejected(MlError):
    """A checkpoint does not belong to this run."""


class DeviceUnavailable(MlError):
    """The device asked for is not present."""


class DatasetUnavailable(MlError):
    """A data set is not in the data folder."""
