"""A worker killed after training, while it measures baselines: nothing is lost or doubled."""

import signal
from typing import Any

import pytest
from sqlalchemy import select

from app.storage.tables import FittedBaselineRow, JobRow, ModelRow, PredictionRow
from tests.app.worker.conftest import Bench
from tests.processes import wait_for

pytestmark = pytest.mark.long

CONFIG: dict[str, Any] = {"epochs": 20, "patience": None, "seed": 3}
PATIENT = {"baseline_seconds": "600"}
MEASURED_BY_CLOCK = {"seconds"}


def is_comparing(row: JobRow) -> bool:
    """Whether a baseline has been measured and another is at work."""
    return bool(row.progress.get("baselines")) and row.state == "running"


def model_of(bench: Bench, job_id: str) -> ModelRow:
    with bench.database.reading() as session:
        return session.scalars(select(ModelRow).where(ModelRow.job_id == job_id)).one()


def outcome(bench: Bench, job_id: str) -> dict[str, Any]:
    """Everything that a job has stored, but for ids and what a clock has measured."""
    model = model_of(bench, job_id)
    items = [
        {key: value for key, value in item.items() if key not in MEASURED_BY_CLOCK}
        for item in (model.baselines or {})["items"]
    ]
    with bench.database.reading() as session:
        fitted = session.scalars(
            select(FittedBaselineRow)
            .where(FittedBaselineRow.model_id == model.id)
            .order_by(FittedBaselineRow.key)
        )
        hashes = {row.key: row.sha256 for row in fitted}
        predicted = session.get_one(PredictionRow, model.id).probabilities
    return {
        "weights": model.sha256,
        "predicted": predicted,
        "curves": model.curves,
        "metrics": model.metrics,
        "suitability": model.suitability,
        "baselines": items,
        "fitted": hashes,
    }


def test_a_job_whose_worker_is_killed_during_the_baselines_ends_with_the_same_result(
    bench: Bench,
) -> None:
    whole = bench.enqueue(baselines=True, **CONFIG)
    first = bench.start_worker(**PATIENT)
    bench.wait_for_state(whole, "succeeded")

    broken = bench.enqueue(baselines=True, **CONFIG)
    lost = bench.wait_for_job(broken, is_comparing, "a baseline")
    first.send(signal.SIGKILL)
    wait_for(lambda: not first.survivors(), "the end of the trainer")
    assert lost.progress["epoch"] == CONFIG["epochs"]
    assert bench.job(broken).state == "running"

    bench.start_worker(**PATIENT)
    row = bench.wait_for_state(broken, "succeeded")
    assert row.attempt == 2
    assert (row.result or {})["model_id"] == model_of(bench, broken).id
    after, undisturbed = outcome(bench, broken), outcome(bench, whole)
    assert len(after["baselines"]) == 7
    assert after == undisturbed
    with bench.database.reading() as session:
        assert len(session.scalars(select(ModelRow.id)).all()) == 2
