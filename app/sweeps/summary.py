"""What the trials of a sweep amount to: its state, the best settings, a plot."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from statistics import fmean
from typing import Any

from app.jobs.states import UNFINISHED, JobState
from app.storage.tables import SweepRow


@dataclass(frozen=True, kw_only=True)
class TrialRecord:
    """One job of a sweep as it stands."""

    position: int
    job_id: str
    state: JobState
    parameters: dict[str, Any]
    seed: int
    epoch: int | None
    epochs: int
    result: dict[str, Any]
    model_id: str | None
    """The model that came of it; None once it is deleted, while its figures stay."""
    error: dict[str, Any] | None
    started_at: datetime | None
    finished_at: datetime | None

    @property
    def done(self) -> float:
        """Which share of its epochs is trained; one that stops early jumps to one."""
        if self.state is JobState.SUCCEEDED:
            return 1.0
        return min(1.0, (self.epoch or 0) / self.epochs)

    def measure(self, part: str, name: str = "accuracy") -> float | None:
        """Return a figure of the finished model on ``validation`` or ``test``."""
        value = self.result.get(part, {}).get(name)
        return None if value is None else float(value)


@dataclass(frozen=True)
class Candidate:
    """One combination of settings with the trials of all its seeds."""

    parameters: dict[str, Any]
    trials: tuple[TrialRecord, ...]

    @cached_property
    def finished(self) -> list[TrialRecord]:
        """The trials whose model was measured on validation, stored still or not."""
        return [trial for trial in self.trials if trial.measure("validation") is not None]

    def mean(self, part: str, name: str = "accuracy") -> float | None:
        """Return a figure averaged over the seeds that have one."""
        return _mean(trial.measure(part, name) for trial in self.finished)

    @property
    def rank(self) -> tuple[int, float, float]:
        """Higher is better: seeds that succeeded, then validation accuracy, then log loss.

        The seeds come first: settings that diverge with one seed must not win by the others.
        """
        loss = self.mean("validation", "log_loss")
        accuracy = self.mean("validation")
        return (
            len(self.finished),
            -1.0 if accuracy is None else accuracy,
            float("-inf") if loss is None else -loss,
        )

    @property
    def best_trial(self) -> TrialRecord | None:
        """The trial of the seed that is best on validation among those whose model is stored."""
        stored = [trial for trial in self.finished if trial.model_id is not None]
        return max(stored, key=lambda trial: trial.measure("validation") or 0, default=None)


@dataclass(frozen=True)
class Summary:
    """A sweep seen through its trials: nothing of this is stored, so nothing can be lost."""

    row: SweepRow
    trials: Sequence[TrialRecord]

    @property
    def parameters(self) -> list[str]:
        """The names of what is varied."""
        return list(self.row.request["parameters"])

    @property
    def counts(self) -> dict[str, int]:
        """How many jobs are in each state."""
        seen = Counter(trial.state for trial in self.trials)
        return {"total": len(self.trials)} | {state.value: seen[state] for state in JobState}

    @property
    def progress(self) -> float:
        """Which share of all the work is done; what was cancelled or failed never is."""
        return _mean(trial.done for trial in self.trials) or 0.0

    @property
    def state(self) -> JobState:
        """Where the whole stands; one model is enough to succeed."""
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
        """When the first job started."""
        return min((trial.started_at for trial in self.trials if trial.started_at), default=None)

    @property
    def finished_at(self) -> datetime | None:
        """When the last job ended, if all have."""
        moments = [trial.finished_at for trial in self.trials]
        ended = [moment for moment in moments if moment is not None]
        return max(ended) if ended and len(ended) == len(moments) else None

    @cached_property
    def candidates(self) -> list[Candidate]:
        """Every combination of settings, the best on validation first."""
        groups: list[tuple[dict[str, Any], list[TrialRecord]]] = []
        for trial in self.trials:
            if not groups or groups[-1][0] != trial.parameters:
                groups.append((trial.parameters, []))
            groups[-1][1].append(trial)
        found = [Candidate(parameters, tuple(trials)) for parameters, trials in groups]
        return sorted(found, key=lambda candidate: candidate.rank, reverse=True)

    @property
    def best(self) -> Candidate | None:
        """The settings that are best on validation so far."""
        first = next(iter(self.candidates), None)
        return first if first is not None and first.finished else None


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
