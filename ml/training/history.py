"""What a training run reports of every epoch."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class EpochRecord:
    """One epoch, counted from one.

    Training figures are those of the training pass itself (dropout and censored edges
    included); validation figures are those of the updated weights on the whole graph.
    """

    epoch: int
    train_loss: float
    validation_loss: float
    train_accuracy: float
    validation_accuracy: float
    validation_macro_f1: float
    seconds: float
    dropped_edges: int

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as plain JSON values."""
        return asdict(self)
