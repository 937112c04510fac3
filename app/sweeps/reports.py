"""How sweeps look on the wire: where they stand and what they show."""

from datetime import datetime
from typing import Any, Self

from pydantic import BaseModel, Field

from app.jobs.states import JobState
from app.sweeps.plot import plot_parameter
from app.sweeps.summary import Candidate, Summary, TrialRecord

_JOB = "2f4a6c8e0b1d3f5a7c9e1b3d5f7a9c0e"
_MODEL = "7d3f1f0c9a5e4a0c8f5e2b1d6c4a3b2f"
_SWEEP = "5c0d7e1fa2b34c5d8e9f0a1b2c3d4e5f"
_PARAMETERS = {"alpha": 0.1, "gamma": 1.0}


class SweepAcceptedOut(BaseModel):
    """Where to look for the sweep."""

    sweep_id: str = Field(examples=[_SWEEP])
    state: JobState = Field(JobState.QUEUED, examples=["queued"])
    href: str = Field(examples=[f"/sweeps/{_SWEEP}"])


class CountsOut(BaseModel):
    """How many jobs of a sweep are in each state."""

    total: int = Field(examples=[12])
    queued: int = Field(examples=[3])
    running: int = Field(examples=[2])
    succeeded: int = Field(examples=[6])
    failed: int = Field(examples=[1])
    cancelled: int = Field(examples=[0])


class CandidateOut(BaseModel):
    """One combination of settings, averaged over its seeds."""

    parameters: dict[str, Any] = Field(examples=[_PARAMETERS])
    seeds: int = Field(description="How many seeds were measured.", examples=[3])
    validation: float | None = Field(description="Mean accuracy.", examples=[0.778])
    validation_log_loss: float | None = Field(examples=[0.61])
    test: float | None = Field(description="Mean accuracy; decides nothing.", examples=[0.741])
    model_id: str | None = Field(
        description="The model of the seed best on validation, among those still stored.",
        examples=[_MODEL],
    )

    @classmethod
    def from_candidate(cls, candidate: Candidate) -> Self:
        """Translate; a figure not known yet is null."""
        best = candidate.best_trial
        return cls(
            parameters=candidate.parameters,
            seeds=len(candidate.finished),
            validation=candidate.mean("validation"),
            validation_log_loss=candidate.mean("validation", "log_loss"),
            test=candidate.mean("test"),
            model_id=None if best is None else best.model_id,
        )


class TrialOut(BaseModel):
    """One row of the result table: one job."""

    parameters: dict[str, Any] = Field(examples=[_PARAMETERS])
    seed: int = Field(examples=[0])
    state: JobState = Field(examples=["succeeded"])
    validation: float | None = Field(description="Accuracy.", examples=[0.792])
    test: float | None = Field(description="Accuracy.", examples=[0.744])
    model_id: str | None = Field(description="Null once it is deleted.", examples=[_MODEL])
    job_id: str = Field(examples=[_JOB])
    error: dict[str, Any] | None = Field(description="Why it failed, as a problem body.")

    @classmethod
    def from_trial(cls, trial: TrialRecord) -> Self:
        """Translate; a figure not known yet is null."""
        return cls(
            parameters=trial.parameters,
            seed=trial.seed,
            state=trial.state,
            validation=trial.measure("validation"),
            test=trial.measure("test"),
            model_id=trial.model_id,
            job_id=trial.job_id,
            error=trial.error,
        )


class PlotOut(BaseModel):
    """Validation accuracy against one setting: columns of equal length."""

    parameter: str = Field(examples=["alpha"])
    value: list[Any] = Field(examples=[[0.1, 0.3]])
    mean: list[float] = Field(examples=[[0.76, 0.71]])
    low: list[float] = Field(examples=[[0.71, 0.625]])
    high: list[float] = Field(examples=[[0.79, 0.75]])
    trials: list[int] = Field(description="How many models each row sums up.", examples=[[6, 6]])


class SweepOut(BaseModel):
    """A sweep in a listing: how far the whole is, and the best so far."""

    id: str = Field(examples=[_SWEEP])
    graph_id: str | None = Field(examples=["0f6f6a1a6a0b4d0f8b5d8a4f8a3f1c2e"])
    label: str = Field(examples=["role"])
    state: JobState = Field(
        description="Queued until a job starts; succeeded if one of them has.",
        examples=["running"],
    )
    cancel_requested: bool = Field(examples=[False])
    parameters: list[str] = Field(description="What is varied.", examples=[["alpha", "gamma"]])
    jobs: CountsOut
    progress: float = Field(
        description="Share of the work done, 0 to 1: a succeeded job counts 1, any other its share "
        "of epochs trained. Below 1 at the end if a job failed or was cancelled.",
        examples=[0.62],
    )
    best: CandidateOut | None = Field(
        description="Highest mean validation accuracy among the settings with most seeds done; "
        "then the lowest log loss."
    )
    created_at: datetime = Field(examples=["2026-11-16T05:20:31.118Z"])
    started_at: datetime | None
    finished_at: datetime | None

    @classmethod
    def from_summary(cls, summary: Summary) -> Self:
        """Translate a sweep without its table."""
        return cls.model_validate(_describe(summary))


class SweepDetailOut(SweepOut):
    """A sweep with its result table and what to plot."""

    candidates: list[CandidateOut] = Field(description="Best on validation first.")
    results: list[TrialOut] = Field(description="Every job, in the order of the plan.")
    plots: list[PlotOut] = Field(description="One for each setting that is varied.")
    request: dict[str, Any] = Field(description="What was asked for.")

    @classmethod
    def from_summary(cls, summary: Summary) -> Self:
        """Translate a sweep with everything that it shows."""
        candidates = summary.candidates
        tables = {
            "candidates": [CandidateOut.from_candidate(one) for one in candidates],
            "results": [TrialOut.from_trial(trial) for trial in summary.trials],
            "plots": [plot_parameter(name, candidates) for name in summary.parameters],
            "request": summary.row.request,
        }
        return cls.model_validate(_describe(summary) | tables)


class SweepPage(BaseModel):
    """Sweeps, newest first."""

    items: list[SweepOut]
    next_cursor: str | None = Field(description="Give it as `cursor` for the next page.")


def _describe(summary: Summary) -> dict[str, Any]:
    row, best = summary.row, summary.best
    return {
        "id": row.id,
        "graph_id": row.graph_id,
        "label": row.label,
        "state": summary.state,
        "cancel_requested": row.cancel_requested,
        "parameters": summary.parameters,
        "jobs": summary.counts,
        "progress": round(summary.progress, 4),
        "best": None if best is None else CandidateOut.from_candidate(best),
        "created_at": row.created_at,
        "started_at": summary.started_at,
        "finished_at": summary.finished_at,
    }
