"""Summaries of trials, computed by hand."""

from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from app.jobs.states import JobState
from app.models.card.reports import FigureSummary
from app.storage.tables import SweepRow
from app.sweeps.plot import plot_parameter
from app.sweeps.summary import SweepSummary, TrialRecord

MOMENT = datetime(2026, 11, 16, tzinfo=UTC)


def summarise(*trials: TrialRecord, cancelled: bool = False) -> SweepSummary:
    names = list(trials[0].parameters)
    row = SweepRow(id="s", request={"parameters": names}, cancel_requested=cancelled)
    return SweepSummary(row, [replace(one, position=place) for place, one in enumerate(trials)])


def trial(
    value: Any = 0.1,
    accuracy: float | None = None,
    state: JobState = JobState.SUCCEEDED,
    log_loss: float = 0.5,
    epoch: int | None = None,
) -> TrialRecord:
    return TrialRecord(
        position=0,
        job_id="j",
        state=state,
        parameters={"alpha": value},
        seed=0,
        epoch=epoch,
        epochs=100,
        validation=FigureSummary(
            accuracy=accuracy, log_loss=None if accuracy is None else log_loss
        ),
        test=FigureSummary(),
        model_id=None if accuracy is None else f"m{accuracy}",
        error=None,
        started_at=None if state is JobState.QUEUED else MOMENT,
        finished_at=None if state in {JobState.QUEUED, JobState.RUNNING} else MOMENT,
    )


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ("queued queued", "queued"),
        ("queued running", "running"),
        ("queued succeeded", "running"),
        ("queued failed", "running"),
        ("succeeded failed", "succeeded"),
        ("succeeded cancelled", "succeeded"),
        ("failed failed", "failed"),
        ("failed cancelled", "failed"),
        ("cancelled cancelled", "cancelled"),
    ],
)
def test_the_state_of_a_sweep_follows_from_its_jobs(states: str, expected: str) -> None:
    assert summarise(*(trial(state=JobState(state)) for state in states.split())).state == expected


def test_a_sweep_is_cancelled_if_the_request_ended_a_job() -> None:
    done, stopped = trial(), trial(state=JobState.CANCELLED)
    assert summarise(done, stopped, cancelled=True).state == "cancelled"
    assert summarise(done, done, cancelled=True).state == "succeeded"


def test_progress_counts_the_epochs_of_running_jobs() -> None:
    running = trial(state=JobState.RUNNING, epoch=50)
    assert summarise(trial(), running, trial(state=JobState.QUEUED)).progress == pytest.approx(0.5)


def test_cancelled_and_failed_jobs_count_their_trained_epochs_only() -> None:
    stopped = trial(state=JobState.CANCELLED, epoch=50)
    waited, broken = trial(state=JobState.CANCELLED), trial(state=JobState.FAILED)
    assert summarise(trial(), stopped, waited, broken).progress == pytest.approx(0.375)


def test_a_sweep_has_ended_when_its_last_job_has() -> None:
    assert summarise(trial(), trial()).finished_at == MOMENT
    assert summarise(trial(), trial(state=JobState.RUNNING)).finished_at is None


def test_the_mean_over_seeds_decides() -> None:
    summary = summarise(trial(0.1, 0.9), trial(0.1, 0.3), trial(0.2, 0.7), trial(0.2, 0.7))
    assert summary.best is not None
    assert summary.best.parameters == {"alpha": 0.2}


def test_settings_that_fail_for_a_seed_do_not_win() -> None:
    failed = trial(0.1, state=JobState.FAILED)
    summary = summarise(trial(0.1, 0.9), failed, trial(0.2, 0.6), trial(0.2, 0.6))
    assert summary.best is not None
    assert summary.best.parameters == {"alpha": 0.2}


def test_the_log_loss_decides_between_equal_accuracies() -> None:
    summary = summarise(trial(0.1, 0.6, log_loss=0.9), trial(0.2, 0.6, log_loss=0.4))
    assert summary.best is not None
    assert summary.best.parameters == {"alpha": 0.2}


def test_the_best_combination_names_the_model_of_its_best_seed() -> None:
    best = summarise(trial(0.1, 0.5), trial(0.1, 0.8)).best
    assert best is not None
    assert best.best_trial is not None
    assert best.best_trial.model_id == "m0.8"


def test_a_deleted_model_counts_but_is_not_named() -> None:
    best = summarise(trial(0.1, 0.5), replace(trial(0.1, 0.8), model_id=None)).best
    assert best is not None
    assert best.best_trial is not None
    assert best.best_trial.model_id == "m0.5"
    assert best.validation_accuracy == pytest.approx(0.65)


def test_without_a_finished_trial_there_is_no_best_combination() -> None:
    assert summarise(trial(state=JobState.FAILED)).best is None


def test_a_plot_has_one_row_per_value_in_ascending_order() -> None:
    summary = summarise(trial(0.5, 0.6), trial(0.1, 0.4), trial(0.1, 0.8), trial(0.3))
    assert asdict(plot_parameter("alpha", summary.candidates)) == {
        "parameter": "alpha",
        "value": [0.1, 0.5],
        "mean": [pytest.approx(0.6), 0.6],
        "low": [0.4, 0.6],
        "high": [0.8, 0.6],
        "trials": [2, 1],
    }


def test_a_plot_lists_numbers_before_other_values() -> None:
    summary = summarise(trial("max", 0.3), trial(None, 0.5), trial(True, 0.4), trial(2, 0.6))
    values = plot_parameter("alpha", summary.candidates).value
    assert values == [2, "max", None, True]
