"""How jobs look on the wire."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Self

from pydantic import BaseModel, Field

from app.jobs.queues import Queue
from app.jobs.states import JobState
from app.storage.tables import JobRow


class JobOut(BaseModel):
    """One job: where it stands, how far it is, what came of it."""

    id: str = Field(examples=["2f4a6c8e0b1d3f5a7c9e1b3d5f7a9c0e"])
    kind: str = Field(examples=["train"])
    state: JobState = Field(examples=["running"])
    graph_id: str | None = Field(examples=["0f6f6a1a6a0b4d0f8b5d8a4f8a3f1c2e"])
    label: str | None = Field(description="What is being learnt, if the job trains.")
    priority: int = Field(description="0 to 9; higher runs sooner.")
    queue: Queue = Field(
        description="Which workers take it: `gpu` if `config.device` is `cuda`.", examples=["cpu"]
    )
    attempt: int = Field(description="How often a worker has taken the job.")
    cancel_requested: bool
    epoch: int | None = Field(examples=[120])
    epochs: int | None = Field(
        description="The last epoch, unless training stops early.", examples=[300]
    )
    stage: str | None = Field(
        description="What is done after the last epoch.",
        examples=["baselines: Random forest (5 of 7)"],
    )
    train_loss: float | None
    validation_loss: float | None
    train_accuracy: float | None
    validation_accuracy: float | None
    model_id: str | None = Field(
        description="The model that a succeeded job has stored; null once it was deleted."
    )
    error: dict[str, Any] | None = Field(description="Why it failed, as a problem body.")
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None

    @classmethod
    def from_row(cls, row: JobRow, stored_models: Collection[str] = ()) -> Self:
        """Translate a row; a figure not known yet and a model no longer stored are null."""
        fields = dict.fromkeys(cls.model_fields)
        fields |= {name: getattr(row, name) for name in fields if hasattr(row, name)}
        fields |= {name: row.progress[name] for name in fields if name in row.progress}
        fields["label"] = row.payload.get("label")
        made = (row.result or {}).get("model_id")
        fields["model_id"] = made if made in stored_models else None
        return cls.model_validate(fields)


class JobAcceptedOut(BaseModel):
    """Where to look for a job that was just queued."""

    job_id: str = Field(examples=["2f4a6c8e0b1d3f5a7c9e1b3d5f7a9c0e"])
    state: JobState = Field(JobState.QUEUED, examples=["queued"])
    href: str = Field(examples=["/jobs/2f4a6c8e0b1d3f5a7c9e1b3d5f7a9c0e"])
    warnings: list[str] = Field(
        [],
        description="What will not be as the request may have meant it.",
        examples=[["members has no effect with method 'gcn'."]],
    )


class CurvesOut(BaseModel):
    """What was measured at epochs so far, thinned out when there are many."""

    epoch: list[int] = []
    train_loss: list[float | None] = []
    validation_loss: list[float | None] = []
    train_accuracy: list[float | None] = []
    validation_accuracy: list[float | None] = []


class JobDetailOut(JobOut):
    """One job with its curves and the request that it carries out."""

    waiting_reason: str | None = Field(
        description="What a queued job waits for.", examples=["2 jobs are ahead of it."]
    )
    curves: CurvesOut
    request: dict[str, Any] = Field(description="Everything that decides the outcome.")
    result: dict[str, Any] | None = Field(
        description="What came of it, once it has succeeded.",
        examples=[{"model_id": "7d3f1f0c9a5e4a0c8f5e2b1d6c4a3b2f"}],
    )

    @classmethod
    def from_row(
        cls, row: JobRow, stored_models: Collection[str] = (), waiting_reason: str | None = None
    ) -> Self:
        """Translate a row, its curves and its request."""
        details = {
            "waiting_reason": waiting_reason,
            "curves": row.progress.get("curves", {}),
            "request": row.payload,
            "result": row.result,
        }
        return cls.model_validate(JobOut.from_row(row, stored_models).model_dump() | details)


class JobPage(BaseModel):
    """Jobs, newest first."""

    items: list[JobOut]
    next_cursor: str | None = Field(description="Give it as `cursor` for the next page.")
