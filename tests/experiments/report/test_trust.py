from pathlib import Path

import numpy as np
import pytest

from experiments.report.trust import write_document
from experiments.trust.summary import SetFigures, TaskFigures
from ml.trust.calibration import measure_reliability

pytest.importorskip("matplotlib")


def make_figures(threshold: float) -> TaskFigures:
    reliability = measure_reliability(np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([0, 1]))
    row = SetFigures(0.9, 0.97, threshold, 0.01, 0.8, 1.25, 0.75, 0.98, 1.5, 4)
    scores = dict.fromkeys(("raw", "served", "scaled"), reliability)
    return TaskFigures("a_task", "A task", 50, 2, True, 0.95, 4, (row,), scores)


@pytest.mark.parametrize(("threshold", "near"), [(0.91, 1), (0.93, 0)])
def test_the_page_has_a_row_per_coverage_and_says_how_often_the_promise_is_met(
    tmp_path: Path, threshold: float, near: int
) -> None:
    page = write_document([make_figures(threshold)], tmp_path, ["Grid X: no file"])
    text = page.read_text()
    assert f"| A task | 4 | 50 by substation | 0.950 | 0.9 | {threshold:.3f} ± 0.010 |" in text
    assert f"Of 1 rows {near} are within 0.02" in text
    assert "- Not measured: Grid X: no file." in text
    assert "| A task | 0.250 | 0.250 | 0.250 |" in text
    assert (tmp_path / "images" / "trust-reliability.svg").read_text().startswith("<?xml")


def test_without_cells_the_page_says_so(tmp_path: Path) -> None:
    assert "No cell is stored yet." in write_document([], tmp_path).read_text()
