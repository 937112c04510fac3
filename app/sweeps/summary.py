"""Summarises the trials of a sweep: its state, its progress and the best settings."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from statistics import fmean

from app.errors import ProblemBody
from app.jobs.states import UNFINISHED, JobState
from app.models.card.reports import FigureSummary
from app.storage.documents import Config
from app.storage.tables import SweepRow


@dataclass(frozen=True, kw_only=True)
class TrialRecord:
    """The current state of one job of a sweep."""

    position: int
    job_id: str
    state: JobState
    parameters: Config
    seed: int
    epoch: int | None
    epochs: int
    validation: FigureSummary
    """Figures of the finished model; they remain when the model is deleted."""
    test: FigureSummary
    model_id: str | None
    """The trained model; None before the end of the job and once the model is deleted."""
    error: ProblemBody | None
    started_at: datetime | None
    finished_at: datetime | None

    @property
    def done(self) -> float:
        """Fraction of the epochs that are trained; 1 after success, even if it stopped early."""
        if self.state is JobState.SUCCEEDED:
            return 1.0
        return min(1.0, (self.epoch or 0) / self.epochs)


@dataclass(frozen=True)
class SweepCandidate:
    """One combination of settings with the trials of all its seeds."""

    parameters: Config
    trials: tuple[TrialRecord, ...]

    @cached_property
    def finished(self) -> list[TrialRecord]:
        """The trials with a validation accuracy, including those whose model was deleted."""
        return [trial for trial in self.trials if trial.validation.accuracy is not None]

    @property
    def validation_accuracy(self) -> float | None:
        """Mean validation accuracy over the finished seeds."""
        return _mean(trial.validation.accuracy for trial in self.finished)

    @property
    def validation_log_loss(self) -> float | None:
        """Mean validation log loss over the finished seeds."""
        return _mean(trial.validation.log_loss for trial in self.finished)

    @property
    def test_accuracy(self) -> float | None:
        """Mean test accuracy over the finished seeds."""
        return _mean(trial.test.accuracy for trial in self.finished)

    @property
    def rank(self) -> tuple[int, float, float]:
        """Sort key, higher is better: finished seeds, validation accuracy, validation log loss.

        Finished seeds come first, so that settings which fail for some seeds cannot win.
        """
        accuracy, loss = self.validation_accuracy, self.validation_log_loss
        return (
            len(self.finished),
            -1.0 if accuracy is None else accuracy,
            float("-inf") if loss is None else -loss,
        )

    @property
    def best_trial(self) -> TrialRecord | None:
        """The trial with the highest validation accuracy among those with a stored model."""
        stored = [trial for trial in self.finished if trial.model_id is not None]
        return max(stored, key=lambda trial: trial.validation.accuracy or 0, default=None)


@dataclass(frozen=True)
class SweepSummary:
    """A sweep as computed from its trials; nothing of this is stored."""

    row: SweepRow
    trials: Sequence[TrialRecord]

    @property
    def parameters(self) -> list[str]:
        """The names of the varied settings."""
        return list(self.row.request["parameters"])

    @property
    def counts(self) -> dict[str, int]:
        """The count of jobs per state, and in total."""
        per_state = Counter(trial.state for trial in self.trials)
        return {"total": len(self.trials)} | {state.value: per_state[state] for state in JobState}

    @property
    def progress(self) -> float:
        """Fraction of the work that is done; below 1 if jobs failed or were cancelled."""
        return _mean(trial.done for trial in self.trials) or 0.0

    @property
    def state(self) -> JobState:
        """The state of the sweep; it succeeds if at least one job succeeds."""
        states = {trial.state for trial in self.trials}
        if states <= {JobState.QUEUED}:
            return JobState.QUEUED
        if states & UNFINISHED:
            return JobState.RUNNING
        if JobState.CANCELLED in states and (self.row.cancel_requested or len(states) == 1):
            return JobState.CANCELLED
        return JobState.SUCCEEDED if JobState.SUCCEEDED in states else JobState.FAILED

    @property
    def started_at(self) -> datetime | None:
        """The start of the first job."""
        return min((trial.started_at for trial in self.trials if trial.started_at), default=None)

    @property
    def finished_at(self) -> datetime | None:
        """The end of the last job, once all jobs have ended."""
        moments = [trial.finished_at for trial in self.trials]
        ended = [moment for moment in moments if moment is not None]
        return max(ended) if ended and len(ended) == len(moments) else None

    @cached_property
    def candidates(self) -> list[SweepCandidate]:
        """Every combination of settings, best first."""
        groups: list[tuple[Config, list[TrialRecord]]] = []
        for trial in self.trials:
            if not groups or groups[-1][0] != trial.parameters:
                groups.append((trial.parameters, []))
            groups[-1][1].append(trial)
        candidates = [SweepCandidate(parameters, tuple(trials)) for parameters, trials in groups]
        return sorted(candidates, key=lambda candidate: candidate.rank, reverse=True)

    @property
    def best(self) -> SweepCandidate | None:
        """The best combination so far, if one has a finished trial."""
        first = next(iter(self.candidates), None)
        return first if first is not None and first.finished else None


def _mean(values: Iterable[float | None]) -> float | None:
    measured = [value for value in values if value is not None]
    return fmean(measured) if measured else None
