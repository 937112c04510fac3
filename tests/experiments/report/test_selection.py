"""The page of the panel is written from stored cells alone."""

from pathlib import Path

import pytest

from experiments.report.selection import write_document
from experiments.selection.panel import DEFAULT, hash_protocol, store_runs
from tests.experiments.selection.test_regret import CELLS

pytest.importorskip("matplotlib")


def write(tmp_path: Path, protocol: str | None = None) -> str:
    for cell, runs in CELLS:
        stored = {
            key: {"protocol": protocol or hash_protocol(cell, key), **run}
            for key, run in runs.items()
        }
        store_runs(cell, tmp_path, stored)
    return write_document(tmp_path, tmp_path / "docs", ["case39, area, 2 %: few"]).read_text()


def test_the_page_has_regret_levels_wins_and_coverage(tmp_path: Path) -> None:
    page = write(tmp_path)
    assert "| tuning | +0.0 | -5.0 | +0.0 (case300, zone) |" in page
    assert "| reporting | +20.0 | +20.0 | +20.0 (case39, area) |" in page
    assert "| 1 per class | 20 | 75.0 | 80.0 | 80.0 | Label propagation | +5.0 |" in page
    assert "| Random forest | 1 | 1 |" in page
    assert "| *the default is as good or better* | 1 | 0 |" in page
    assert "| tuning | buses | 3 | 67 % | +10.0 | +20.0 |" in page
    assert "- case39, area, 2 %: few" in page
    assert "- MLP on case300, zone: no" in page
    assert "earlier version" not in page


def test_pictures_show_both_halves_and_are_the_same_every_time(tmp_path: Path) -> None:
    write(tmp_path)
    images = tmp_path / "docs" / "images"
    pictures = {path.name: path.read_bytes() for path in images.glob("*.svg")}
    assert set(pictures) == {"selection-tuning.svg", "selection-reporting.svg"}
    assert b"case300, zone" in pictures["selection-tuning.svg"]
    write(tmp_path)
    assert {path.name: path.read_bytes() for path in images.glob("*.svg")} == pictures


def test_runs_of_earlier_code_are_counted(tmp_path: Path) -> None:
    assert f"made {len(CELLS)} of its {len(CELLS)} runs" in write(tmp_path, "old")


def test_a_page_without_cells_says_that_nothing_was_run(tmp_path: Path) -> None:
    page = write_document(tmp_path, tmp_path / "docs").read_text()
    assert "Not run: no results are stored." in page
    assert DEFAULT in page
