"""Wire formats of jobs."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Self

from pydantic import BaseModel, Field

from app.jobs.queues import Queue
from app.jobs.states import JobState
from app.storage.tables import JobRow


class JobOut(BaseModel):
    """A job: its state, progress and outcome."""

    id: str = Field(examples=["2f4a6c8e0b1d3f5a7c9e1b3d5f7a9c0e"])
    kind: str = Field(examples=["train"])
    state: JobState = Field(examples=["running"])
    graph_id: str | None = Field(examples=["0f6f6a1a6a0b4d0f8b5d8a4f8a3f1c2e"])
    label: str | None = Field(description="Label set that a training job learns.")
    priority: int = Field(
        description="Priority from 0 to 9; jobs with a higher priority run first."
    )
    queue: Queue = Field(
        description="Queue of the job: `gpu` if `config.device` is `cuda`, else `cpu`.",
        examples=["cpu"],
    )
    attempt: int = Field(description="How many times a worker has claimed the job.")
    cancel_requested: bool = Field(description="Whether cancellation was requested.")
    epoch: int | None = Field(
        description="Last completed epoch; with `auto` the candidates tried so far.", examples=[120]
    )
    epochs: int | None = Field(
        description="Maximum number of epochs; training may stop earlier. With `auto` the number "
        "of candidates.",
        examples=[300],
    )
    stage: str | None = Field(
        description="Current step: the candidate that `auto` tries, or a step after training such "
        "as measuring a baseline.",
        examples=["trying forest (12 of 80)", "baselines: Random forest (5 of 7)"],
    )
    train_loss: float | None
    validation_loss: float | None
    train_accuracy: float | None
    validation_accuracy: float | None
    model_id: str | None = Field(
        description="Model that the job has stored; null if there is none or it was deleted."
    )
    error: dict[str, Any] | None = Field(description="Problem body of a failed job.")
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None

    @classmethod
    def from_row(cls, row: JobRow, stored_models: Collection[str] = ()) -> Self:
        """Convert a row; figures not measured yet and a deleted model are null."""
        fields = dict.fromkeys(cls.model_fields)
        fields |= {name: getattr(row, name) for name in fields if hasattr(row, name)}
        fields |= {name: value for name, value in row.progress.items() if name in fields}
        fields["label"] = row.payload.get("label")
        model_id = (row.result or {}).get("model_id")
        fields["model_id"] = model_id if model_id in stored_models else None
        return cls.model_validate(fields)


class JobAcceptedOut(BaseModel):
    """The id and address of a job that was just queued."""

    job_id: str = Field(examples=["2f4a6c8e0b1d3f5a7c9e1b3d5f7a9c0e"])
    state: JobState = Field(JobState.QUEUED, examples=["queued"])
    href: str = Field(examples=["/jobs/2f4a6c8e0b1d3f5a7c9e1b3d5f7a9c0e"])
    warnings: list[str] = Field(
        [],
        description="Settings of the request that have no effect.",
        examples=[["members has no effect with method 'gcn'."]],
    )


class CurvesOut(BaseModel):
    """Learning curves so far; thinned out if there are many epochs."""

    epoch: list[int] = []
    train_loss: list[float | None] = []
    validation_loss: list[float | None] = []
    train_accuracy: list[float | None] = []
    validation_accuracy: list[float | None] = []


class JobDetailOut(JobOut):
    """A job with its learning curves and its request."""

    waiting_reason: str | None = Field(
        description="Why a queued job is waiting.", examples=["2 jobs are ahead of it."]
    )
    curves: CurvesOut
    request: dict[str, Any] = Field(description="The request with all defaults filled in.")
    result: dict[str, Any] | None = Field(
        description="Result of a succeeded job.",
        examples=[{"model_id": "7d3f1f0c9a5e4a0c8f5e2b1d6c4a3b2f"}],
    )

    @classmethod
    def from_row(
        cls, row: JobRow, stored_models: Collection[str] = (), waiting_reason: str | None = None
    ) -> Self:
        """Convert a row with its curves and its request."""
        details = {
            "waiting_reason": waiting_reason,
            "curves": row.progress.get("curves", {}),
            "request": row.payload,
            "result": row.result,
        }
        return cls.model_validate(JobOut.from_row(row, stored_models).model_dump() | details)


class JobPage(BaseModel):
    """A page of jobs, newest first."""

    items: list[JobOut]
    next_cursor: str | None = Field(
        description="Send it as `cursor` for the next page; null on the last page."
    )
