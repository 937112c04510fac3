"""Sweeps as JSON: the request, and what is reported."""

from datetime import datetime
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field

from app.http.json_body import BodyIn
from app.jobs.states import JobState
from app.storage.documents import Config
from app.sweeps.plot import plot_parameter
from app.sweeps.summary import SweepCandidate, SweepSummary, TrialRecord

_JOB = "2f4a6c8e0b1d3f5a7c9e1b3d5f7a9c0e"
_MODEL = "7d3f1f0c9a5e4a0c8f5e2b1d6c4a3b2f"
_SWEEP = "5c0d7e1fa2b34c5d8e9f0a1b2c3d4e5f"
_PARAMETERS = {"alpha": 0.1, "gamma": 1.0}
_SEARCH = {
    "budget": 20,
    "space": {
        "alpha": {"low": 0.05, "high": 0.9},
        "gamma": {"low": 0.001, "high": 1, "log": True},
        "width": [16, 32, 64],
    },
}


class RangeIn(BodyIn):
    """All numbers between two bounds, on a linear or a logarithmic scale."""

    low: int | float = Field(description="Smallest value.")
    high: int | float = Field(description="Largest value.")
    log: bool = Field(False, description="Whether to sample on a logarithmic scale.")


class SearchIn(BodyIn):
    """A random sample of combinations (Latin hypercube), which covers each range evenly."""

    budget: int = Field(description="Count of combinations to try.", examples=[20])
    seed: int = Field(
        0, ge=0, lt=2**32, description="Random seed: the same seed gives the same combinations."
    )
    space: dict[str, list[Any] | RangeIn] = Field(
        description="Per setting a list of values or a range."
    )


class SweepIn(BodyIn):
    """The settings to vary: `grid` tries every combination, `search` tries a random sample.

    `grid` or `space` may contain at most 1,000 values over all settings.
    """

    grid: dict[str, list[Any]] | None = Field(
        None,
        description="Per setting of `config` a list of values; every combination is tried.",
        examples=[{"alpha": [0.1, 0.3], "gamma": [0.1, 1.0]}],
    )
    search: SearchIn | None = Field(
        None, description="Tries a random sample of combinations.", examples=[_SEARCH]
    )
    seeds: list[int] | None = Field(
        None,
        max_length=1000,
        description="Each combination is trained once per seed, on the same split. "
        "Default: only the seed of `config`.",
        examples=[[0, 1, 2]],
    )

    @property
    def domains(self) -> dict[str, list[Any] | RangeIn]:
        """The values of each varied setting."""
        if self.search is not None:
            return self.search.space
        return dict(self.grid or {})


class SweepAcceptedOut(BaseModel):
    """A sweep that was queued."""

    sweep_id: str = Field(examples=[_SWEEP])
    state: JobState = Field(JobState.QUEUED, examples=["queued"])
    href: str = Field(description="Path of the sweep.", examples=[f"/sweeps/{_SWEEP}"])


class CountsOut(BaseModel):
    """The count of jobs of a sweep, in total and per state."""

    total: int = Field(examples=[12])
    queued: int = Field(examples=[3])
    running: int = Field(examples=[2])
    succeeded: int = Field(examples=[6])
    failed: int = Field(examples=[1])
    cancelled: int = Field(examples=[0])


class CandidateOut(BaseModel):
    """One combination of settings; its figures are means over its finished seeds."""

    parameters: Config = Field(description="Varied settings.", examples=[_PARAMETERS])
    seeds: int = Field(description="Count of finished seeds.", examples=[3])
    validation: float | None = Field(description="Mean validation accuracy.", examples=[0.778])
    validation_log_loss: float | None = Field(
        description="Mean validation log loss.", examples=[0.61]
    )
    test: float | None = Field(
        description="Mean test accuracy; not used to choose the best combination.",
        examples=[0.741],
    )
    model_id: str | None = Field(
        description="Stored model with the highest validation accuracy among the seeds.",
        examples=[_MODEL],
    )

    @classmethod
    def from_candidate(cls, candidate: SweepCandidate) -> Self:
        """Translate; a figure that is not known yet is null."""
        best = candidate.best_trial
        return cls(
            parameters=candidate.parameters,
            seeds=len(candidate.finished),
            validation=candidate.validation_accuracy,
            validation_log_loss=candidate.validation_log_loss,
            test=candidate.test_accuracy,
            model_id=None if best is None else best.model_id,
        )


class TrialOut(BaseModel):
    """One row of the result table: one job."""

    parameters: Config = Field(description="Varied settings.", examples=[_PARAMETERS])
    seed: int = Field(examples=[0])
    state: JobState = Field(examples=["succeeded"])
    validation: float | None = Field(description="Validation accuracy.", examples=[0.792])
    test: float | None = Field(description="Test accuracy.", examples=[0.744])
    model_id: str | None = Field(
        description="The trained model; null once it is deleted.", examples=[_MODEL]
    )
    job_id: str = Field(examples=[_JOB])
    error: dict[str, Any] | None = Field(description="Why the job failed, as a problem body.")

    @classmethod
    def from_trial(cls, trial: TrialRecord) -> Self:
        """Translate; a figure that is not known yet is null."""
        return cls(
            parameters=trial.parameters,
            seed=trial.seed,
            state=trial.state,
            validation=trial.validation.accuracy,
            test=trial.test.accuracy,
            model_id=trial.model_id,
            job_id=trial.job_id,
            error=trial.error,
        )


class PlotOut(BaseModel):
    """Validation accuracy against one setting, as columns of equal length."""

    model_config = ConfigDict(from_attributes=True)

    parameter: str = Field(description="Name of the setting.", examples=["alpha"])
    value: list[Any] = Field(description="Values of the setting.", examples=[[0.1, 0.3]])
    mean: list[float] = Field(description="Mean accuracy.", examples=[[0.76, 0.71]])
    low: list[float] = Field(description="Lowest accuracy.", examples=[[0.71, 0.625]])
    high: list[float] = Field(description="Highest accuracy.", examples=[[0.79, 0.75]])
    trials: list[int] = Field(description="Count of models per value.", examples=[[6, 6]])


class SweepOut(BaseModel):
    """A sweep in a listing: its progress and the best settings so far."""

    id: str = Field(examples=[_SWEEP])
    graph_id: str | None = Field(
        description="Grid; null once it is deleted.", examples=["0f6f6a1a6a0b4d0f8b5d8a4f8a3f1c2e"]
    )
    label: str = Field(description="Label set that is learnt.", examples=["role"])
    state: JobState = Field(
        description="`queued` until the first job starts; `succeeded` if all jobs have ended and "
        "at least one has succeeded.",
        examples=["running"],
    )
    cancel_requested: bool = Field(
        description="Whether the sweep was asked to stop.", examples=[False]
    )
    parameters: list[str] = Field(
        description="Names of the varied settings.", examples=[["alpha", "gamma"]]
    )
    jobs: CountsOut
    progress: float = Field(
        description="Fraction of the work that is done, 0 to 1: a succeeded job counts 1, any "
        "other job its fraction of trained epochs. Stays below 1 if jobs failed or were cancelled.",
        examples=[0.62],
    )
    best: CandidateOut | None = Field(
        description="Among the combinations with most finished seeds, the one with the highest "
        "mean validation accuracy, then the lowest validation log loss."
    )
    created_at: datetime = Field(examples=["2026-11-16T05:20:31.118Z"])
    started_at: datetime | None = Field(description="Start of the first job.")
    finished_at: datetime | None = Field(description="End of the last job.")

    @classmethod
    def from_summary(cls, summary: SweepSummary) -> Self:
        """Translate a sweep without its table."""
        return cls.model_validate(_read_summary(summary))


class SweepDetailOut(SweepOut):
    """A sweep with its result table and columns to plot."""

    candidates: list[CandidateOut] = Field(description="Every combination, best first.")
    results: list[TrialOut] = Field(description="Every job, in the order of the plan.")
    plots: list[PlotOut] = Field(description="One plot per varied setting.")
    request: dict[str, Any] = Field(description="The request that started the sweep.")

    @classmethod
    def from_summary(cls, summary: SweepSummary) -> Self:
        """Translate a sweep with its tables."""
        candidates = summary.candidates
        plots = (plot_parameter(name, candidates) for name in summary.parameters)
        tables = {
            "candidates": [CandidateOut.from_candidate(candidate) for candidate in candidates],
            "results": [TrialOut.from_trial(trial) for trial in summary.trials],
            "plots": [PlotOut.model_validate(plot) for plot in plots],
            "request": summary.row.request,
        }
        return cls.model_validate(_read_summary(summary) | tables)


class SweepPage(BaseModel):
    """One page of sweeps, newest first."""

    items: list[SweepOut]
    next_cursor: str | None = Field(
        description="Pass it as `cursor` to get the next page; null on the last page."
    )


def _read_summary(summary: SweepSummary) -> dict[str, Any]:
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
