"""The result of a replay: what was compared, the verdict, and one sentence about it."""

import math
from dataclasses import asdict, dataclass
from typing import Any, Self

from app.models.card.schema import ReplayVerdict
from app.storage.documents import ReplayDocument


@dataclass(frozen=True)
class ReplayDifference:
    """An input or a property of the machine that differs from the manifest of the model."""

    what: str
    stored: Any
    now: Any


@dataclass(frozen=True, kw_only=True)
class ReplayResult:
    """The comparison of a stored model with the one that was trained again.

    ``largest_difference`` is None if the replay was refused because of ``differences``.
    """

    differences: tuple[ReplayDifference, ...]
    compared: str = "logits"
    count: int = 0
    largest_difference: float | None = None
    tolerance: float = 0.0
    weights_equal: bool = False
    predictions_equal: bool = False

    @classmethod
    def refuse(cls, differences: tuple[ReplayDifference, ...]) -> Self:
        """Return the result of a replay that is impossible, because its inputs have changed."""
        return cls(differences=differences)

    @property
    def verdict(self) -> ReplayVerdict:
        """Return how the two models compare."""
        if self.largest_difference is None:
            return "not replayable"
        if self.largest_difference == 0 and self.weights_equal and self.predictions_equal:
            return "bit-equal"
        return "within tolerance" if self.largest_difference <= self.tolerance else "different"

    def as_document(self, seconds: float) -> ReplayDocument:
        """Return JSON values for the database, with the verdict and the sentence."""
        difference = self.largest_difference
        is_finite = difference is not None and math.isfinite(difference)
        return {
            "verdict": self.verdict,
            "sentence": self._write_sentence(),
            "compared": self.compared,
            "count": self.count,
            "largest_difference": difference if is_finite else None,
            "tolerance": self.tolerance,
            "weights_equal": self.weights_equal,
            "predictions_equal": self.predictions_equal,
            "differences": [asdict(difference) for difference in self.differences],
            "seconds": seconds,
        }

    def _write_sentence(self) -> str:
        names = ", ".join(difference.what for difference in self.differences)
        if self.largest_difference is None:
            return f"Not replayable, because the manifest does not match in: {names}."
        trained = "Trained again from the manifest"
        if self.verdict == "bit-equal":
            return f"{trained}: all {self.count} {self.compared} are bit-equal."
        relation = "within" if self.verdict == "within tolerance" else "more than"
        cause = f"differences from the manifest: {names}" if names else "no cause was found"
        return (
            f"{trained}: the {self.compared} differ by up to {self.largest_difference:.3g}, "
            f"{relation} the tolerance of {self.tolerance:g}; {cause}."
        )
