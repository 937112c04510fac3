"""Baselines of a sweep: measured with its first model, shared by the others."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.app.sweeps.service import PATIENT, SweepService, api_on
from tests.app.worker.conftest import make_bench

HOPELESS = {"epochs": 1, "width": 1, "seed": 3}
"""Settings under which the network learns nothing, so that a baseline is better."""
Trained = tuple[SweepService, dict[str, Any], dict[str, Any]]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trained]:
    """A service and the cards of the two models of a sweep, the first first."""
    folder = tmp_path_factory.mktemp("shared")
    bench = make_bench(f"sqlite:///{folder / 'levygrid.db'}", folder)
    with bench.stack, api_on(bench) as api:
        service = SweepService(api, bench)
        bench.start_worker(**PATIENT, baseline_seconds="600")
        sweep = {"grid": {"learning_rate": [1e-9, 1e-8]}, "seeds": [5]}
        place = service.start(sweep, HOPELESS, baselines=True)
        rows = service.wait_for_end(place)["results"]
        first, second = (api.get(f"/models/{row['model_id']}/card").json() for row in rows)
        yield service, first, second
    bench.database.close()


def figures_of(card: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (item["key"], item["settings"], item["validation"], item["test"])
        for item in card["baselines"]["items"]
    ]


def test_the_second_model_has_the_baselines_of_the_first(trained: Trained) -> None:
    _, first, second = trained
    assert len(figures_of(first)) == 7
    assert figures_of(second) == figures_of(first)
    assert second["baselines"]["shared_from"] == first["model"]["id"]
    assert "shared_from" not in first["baselines"]
    assert second["suitability"] == first["suitability"] is not None


def test_shared_baselines_use_the_config_without_varied_settings(trained: Trained) -> None:
    _, first, _ = trained
    mlp = next(item for item in first["baselines"]["items"] if item["key"] == "mlp")
    assert mlp["seed"] == 3
    assert first["making"]["seed"] == 5


def test_a_shared_baseline_is_promoted_from_the_model_that_stores_it(trained: Trained) -> None:
    service, first, second = trained
    call = second["best_baseline"]["promote"]
    assert first["model"]["id"] in call
    answer = service.api.post(call, json={"reason": "it is better"})
    assert answer.status_code == 201, answer.text
