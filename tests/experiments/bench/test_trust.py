"""The bench of prediction sets, with one seed of a small task."""

from pathlib import Path

import pytest

from experiments.bench import trust
from experiments.trust.cells import FILE_NAME


@pytest.mark.long
def test_a_quick_run_returns_figures_and_stores_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trust, "QUICK_TASKS", ("ieee118_role",))
    figures = trust.run(quick=True, workers=1, results=tmp_path, docs=tmp_path)
    assert [row["promised"] for row in figures["rows"]] == [0.8, 0.9, 0.95]
    for row in figures["rows"]:
        assert (row["task"], row["seeds"], row["labels"]) == ("ieee118_role", 1, 59)
        assert row["coverage"] >= row["by_threshold"]
    assert (figures["skipped"], figures["failures"]) == ([], [])
    assert not (tmp_path / FILE_NAME).exists()
    assert not (tmp_path / "trust.md").exists()
