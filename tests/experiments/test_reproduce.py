import json
from pathlib import Path

import pytest

from experiments.datasets.dataset import data_folder
from experiments.reproduce import Request, reproduce
from experiments.tables.table import get_table

HERE = (data_folder() / "ieee118_paper.npz").is_file()


@pytest.mark.paper
@pytest.mark.skipif(not HERE, reason="needs ieee118_paper.npz in LEVYGRID_DATASETS_DIR")
def test_a_quick_run_of_ieee118_gives_one_row_a_method(tmp_path: Path) -> None:
    answer = tmp_path / "rows.json"
    page = tmp_path / "page.md"
    request = Request(
        "ieee118", 1, answer, quick=True, workers=1, results=tmp_path / "results", document=page
    )
    assert reproduce(request) == []
    rows = json.loads(answer.read_text())["rows"]
    assert len({row["method"] for row in rows}) == len(get_table("directed").methods)
    for row in rows:
        assert {"method", "mean", "std", "seeds"} <= row.keys()
        assert 0 <= row["mean"] <= 100
        assert row["seeds"] == 1
    assert not page.exists()
    assert not (tmp_path / "results").exists()
