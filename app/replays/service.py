"""Whether a model can be made again: queued as a job, answered in one sentence, kept."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from sqlalchemy.orm import Session

from app.jobs.service import Origin, enqueue
from app.models import repository
from app.models.service import get_model
from app.storage.db import current_time
from app.storage.tables import JobRow, ReplayRow

KIND = "replay"


@dataclass(frozen=True, kw_only=True)
class ReplayResult:
    """What came of making a model again.

    ``differences`` are of the data, the settings or the machine, each with ``what``,
    ``stored`` and ``now``. A refused replay has compared nothing.
    """

    differences: Sequence[dict[str, Any]]
    refused: bool = False
    compared: str = "logits"
    count: int = 0
    largest_difference: float | None = None
    tolerance: float = 0.0
    weights_equal: bool = False
    predictions_equal: bool = False

    @classmethod
    def refuse(cls, differences: Sequence[dict[str, Any]]) -> Self:
        """Say that something the model was made of is not there any more."""
        return cls(differences=differences, refused=True)

    @property
    def verdict(self) -> str:
        """One of: bit-equal, within tolerance, different, not replayable."""
        if self.refused or self.largest_difference is None:
            return "not replayable"
        if self.largest_difference == 0 and self.weights_equal and self.predictions_equal:
            return "bit-equal"
        return "within tolerance" if self.largest_difference <= self.tolerance else "different"

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values, with the verdict and the sentence that tells it."""
        gap = self.largest_difference
        return {
            "verdict": self.verdict,
            "sentence": self._tell(),
            "compared": self.compared,
            "count": self.count,
            "largest_difference": gap if gap is not None and math.isfinite(gap) else None,
            "tolerance": self.tolerance,
            "weights_equal": self.weights_equal,
            "predictions_equal": self.predictions_equal,
            "differences": list(self.differences),
        }

    def _tell(self) -> str:
        others = ", ".join(each["what"] for each in self.differences)
        verdict, gap = self.verdict, self.largest_difference
        if gap is None or verdict == "not replayable":
            return f"It cannot be made again, because these are not as in its manifest: {others}."
        if verdict == "bit-equal":
            return f"Made again from its manifest: all {self.count} {self.compared} are bit-equal."
        told = f"Made again from its manifest: {self.compared} differ by up to {gap:.3g}"
        known = f"other than before: {others}" if others else "no other difference was found"
        if verdict == "within tolerance":
            return f"{told}, within {self.tolerance:g}; {known}."
        return f"{told}, more than {self.tolerance:g}; {known}."


def enqueue_replay(session: Session, model_id: str, request_id: str | None) -> JobRow:
    """Write the job that makes a model again, for workers with the device that it asks for.

    The caller commits and then dispatches it. Raises: ModelNotFound.
    """
    row = get_model(session, model_id)
    repository.lock_graph(session, row.graph_id)
    device = row.manifest.get("config", {}).get("device")  # a baseline has none
    payload = {"model_id": model_id, "label": row.label, "config": {"device": device}}
    return enqueue(session, KIND, payload, Origin(row.graph_id, request_id=request_id))


def store_replay(session: Session, job: JobRow, result: dict[str, Any]) -> dict[str, Any]:
    """Keep what came of a replay with the model; return the result of the job."""
    model_id: str = job.payload["model_id"]
    row = ReplayRow(id=job.id, model_id=model_id, result=result, replayed_at=current_time(session))
    repository.insert_replay(session, row)
    return {"model_id": model_id, "replay": result}
