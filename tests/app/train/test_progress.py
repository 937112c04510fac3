import math
from itertools import pairwise

from app.train.progress import TrainingProgress, make_curves
from ml import EpochRecord


def record(epoch: int, loss: float = 0.5) -> EpochRecord:
    return EpochRecord(
        epoch=epoch,
        train_loss=loss,
        validation_loss=loss,
        train_accuracy=0.5,
        validation_accuracy=0.5,
        validation_macro_f1=0.5,
        seconds=0.1,
        dropped_edges=0,
    )


def test_the_last_epoch_is_shown() -> None:
    progress = TrainingProgress(epochs=10)
    progress.add(record(1, 0.9))
    progress.add(record(2, 0.8))
    shown = progress.as_dict()
    assert (shown["epoch"], shown["epochs"], shown["train_loss"]) == (2, 10, 0.8)
    assert shown["curves"]["train_loss"] == [0.9, 0.8]


def test_curves_of_long_runs_are_thinned_evenly() -> None:
    progress = TrainingProgress(epochs=100_000)
    for epoch in range(1, 10_001):
        progress.add(record(epoch))
    shown = progress.as_dict()
    epochs = [epoch for epoch in shown["curves"]["epoch"] if epoch is not None]
    assert shown["epoch"] == 10_000
    assert 200 <= len(epochs) <= 400
    assert len({after - before for before, after in pairwise(epochs)}) == 1


def test_a_resumed_run_continues_from_the_epoch_of_its_checkpoint() -> None:
    before = TrainingProgress(epochs=10)
    for epoch in range(1, 6):
        before.add(record(epoch))
    after = TrainingProgress(epochs=10)
    after.resume(before.as_dict()["curves"], 3)
    assert after.as_dict()["epoch"] == 3
    after.add(record(4))
    assert after.as_dict()["curves"]["epoch"] == [1, 2, 3, 4]


def test_a_value_that_is_not_finite_is_null() -> None:
    assert make_curves([record(1, math.nan), record(2, math.inf)])["train_loss"] == [None, None]
