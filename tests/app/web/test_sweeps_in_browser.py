"""Sweeps on the page in Chromium."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.app.web.conftest import Watch
from tests.app.web.trained_service import TrainedService

pytestmark = pytest.mark.long

PATIENCE = 240_000


def start_sweep(trained: TrainedService, **config: Any) -> str:
    body = {
        "graph_id": trained.graph["id"],
        "label": "role",
        "config": {"width": 16} | config,
        "baselines": False,
        "sweep": {"grid": {"learning_rate": [1e-9, 0.01]}},
    }
    started: str = trained.post("/train", body)["sweep_id"]
    return started


def test_a_sweep_is_shown_until_its_best_settings(watch: Watch, trained: TrainedService) -> None:
    sweep_id = start_sweep(trained, epochs=20)
    page = watch(trained.address).open(f"/?graph={trained.graph['id']}")
    card = page.locator(".sweep").first
    expect(card.locator("strong").first).to_have_text("role on case118, varying learning_rate")
    expect(card.locator(".state")).to_have_text("succeeded", timeout=PATIENCE)
    expect(card.locator("tbody tr")).to_have_count(2, timeout=PATIENCE)
    best = trained.get(f"/sweeps/{sweep_id}")["best"]
    expect(card.locator(".best-row")).to_have_count(1)
    expect(card.locator(".best-row")).to_contain_text("best")
    expect(card.locator(".best-row td").first).to_have_text(
        str(best["parameters"]["learning_rate"])
    )
    card.get_by_role("button", name="Show best model").click()
    expect(page.locator("#model-choice")).to_have_value(best["model_id"])


def test_a_sweep_is_cancelled_as_a_whole(watch: Watch, trained: TrainedService) -> None:
    sweep_id = start_sweep(trained, epochs=100_000, patience=None)
    page = watch(trained.address, width=400).open(f"/?graph={trained.graph['id']}")
    card = page.locator(".sweep").first
    card.get_by_role("button", name="Cancel all").click()
    expect(card.locator(".state")).to_have_text(re.compile("cancelled"), timeout=PATIENCE)
    assert trained.get(f"/sweeps/{sweep_id}")["state"] == "cancelled"
