"""The results of a sweep that two workers have trained."""

from collections.abc import Iterator
from itertools import pairwise
from statistics import fmean
from typing import Any

import pytest

from tests.app.sweeps.service import PATIENT, SweepService, api_on
from tests.app.worker.conftest import make_bench

GRID = {"grid": {"learning_rate": [1e-9, 0.05], "device": ["cpu", "cuda"]}, "seeds": [0, 1]}
"""Settings that learn nothing and settings that learn; a missing device fails."""

Finished = tuple[SweepService, dict[str, Any]]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finished]:
    folder = tmp_path_factory.mktemp("sweep")
    bench = make_bench(f"sqlite:///{folder / 'levygrid.db'}", folder)
    with bench.stack, api_on(bench) as api:
        service = SweepService(api, bench)
        place = service.start(GRID, {"epochs": 40, "width": 8})
        bench.start_worker(**PATIENT)
        bench.start_worker(**PATIENT)
        bench.start_worker("--queue", "gpu", **PATIENT)
        yield service, service.wait_for_end(place)
    bench.database.close()


@pytest.fixture
def sweep(finished: Finished) -> dict[str, Any]:
    return finished[1]


def on_the_cpu(sweep: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for row in sweep["results"] if row["parameters"]["device"] == "cpu"]


def test_a_sweep_succeeds_despite_failed_jobs(sweep: dict[str, Any]) -> None:
    assert (sweep["state"], sweep["progress"]) == ("succeeded", 0.5)
    assert (sweep["jobs"]["succeeded"], sweep["jobs"]["failed"]) == (4, 4)
    failed = [row for row in sweep["results"] if row["state"] == "failed"]
    assert {row["parameters"]["device"] for row in failed} == {"cuda"}
    assert {row["error"]["type"] for row in failed} == {"/problems/device-unavailable"}


def test_the_table_has_the_figures_and_the_model_of_every_job(finished: Finished) -> None:
    service, sweep = finished
    rows = on_the_cpu(sweep)
    assert len({row["model_id"] for row in rows}) == 4
    for row in rows:
        model = service.api.get(f"/models/{row['model_id']}").json()
        assert row["validation"] == model["metrics"]["validation"]["accuracy"]
        assert row["test"] == model["metrics"]["test"]["accuracy"]
        assert model["job_id"] == row["job_id"]
        assert model["config"]["learning_rate"] == row["parameters"]["learning_rate"]
        assert model["config"]["seed"] == row["seed"]


def test_the_best_combination_has_the_highest_mean_validation_accuracy(
    sweep: dict[str, Any],
) -> None:
    means = {
        rate: fmean(
            row["validation"]
            for row in on_the_cpu(sweep)
            if row["parameters"]["learning_rate"] == rate
        )
        for rate in (1e-9, 0.05)
    }
    assert means[0.05] > means[1e-9]
    best = sweep["best"]
    assert best == sweep["candidates"][0]
    assert best["parameters"] == {"learning_rate": 0.05, "device": "cpu"}
    assert (best["seeds"], best["validation"]) == (2, pytest.approx(means[0.05]))
    winners = [row["model_id"] for row in on_the_cpu(sweep) if row["validation"] >= means[0.05]]
    assert best["model_id"] in winners


def test_each_varied_setting_has_a_plot(sweep: dict[str, Any]) -> None:
    rates, devices = sweep["plots"]
    assert (rates["parameter"], rates["value"]) == ("learning_rate", [1e-9, 0.05])
    assert rates["trials"] == [2, 2]
    assert rates["mean"][1] == pytest.approx(sweep["best"]["validation"])
    assert all(
        low <= mean <= high
        for low, mean, high in zip(rates["low"], rates["mean"], rates["high"], strict=True)
    )
    assert (devices["value"], devices["trials"]) == (["cpu"], [4])


def test_two_workers_share_the_jobs(finished: Finished) -> None:
    service, sweep = finished
    rows = [service.bench.job(row["job_id"]) for row in on_the_cpu(sweep)]
    spans = sorted(
        (row.started_at, row.finished_at) for row in rows if row.started_at and row.finished_at
    )
    assert any(later < ended for (_, ended), (later, _) in pairwise(spans))
    assert all(row.attempt == 1 for row in rows)


def test_the_active_model_is_the_best_of_all_seeds(finished: Finished) -> None:
    service, sweep = finished
    answering = service.api.get("/predict/0").json()["model_id"]
    (row,) = [row for row in sweep["results"] if row["model_id"] == answering]
    assert row["validation"] == max(row["validation"] for row in on_the_cpu(sweep))


def test_the_figures_of_a_deleted_model_remain(finished: Finished) -> None:
    service, sweep = finished
    answering = service.api.get("/predict/0").json()["model_id"]
    gone = next(row for row in on_the_cpu(sweep) if row["model_id"] != answering)
    assert service.api.delete(f"/models/{gone['model_id']}").status_code == 204
    now = service.look(f"/sweeps/{sweep['id']}")
    forgotten = gone | {"model_id": None}
    assert now["results"] == [forgotten if row == gone else row for row in sweep["results"]]
    assert gone["model_id"] not in [one["model_id"] for one in now["candidates"]]
