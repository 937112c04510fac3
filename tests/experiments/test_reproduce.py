import json
from pathlib import Path

import pytest

from experiments.datasets.dataset import find_data_folder
from experiments.reproduce import ReproductionRequest, run_reproduction
from experiments.tables.table import get_table

FOLDER = find_data_folder()
HERE = FOLDER is not None and (FOLDER / "ieee118_paper.npz").is_file()


@pytest.mark.paper
@pytest.mark.skipif(not HERE, reason="needs ieee118_paper.npz in LEVYGRID_DATASETS_DIR")
def test_a_quick_run_of_ieee118_gives_one_row_per_method(tmp_path: Path) -> None:
    answer = tmp_path / "rows.json"
    docs = tmp_path / "docs"
    request = ReproductionRequest(
        "ieee118", 1, answer, quick=True, workers=1, results=tmp_path / "results", docs=docs
    )
    assert run_reproduction(request) == []
    rows = json.loads(answer.read_text())["rows"]
    assert len({row["method"] for row in rows}) == len(get_table("directed").methods)
    for row in rows:
        assert {"method", "mean", "std", "seeds"} <= row.keys()
        assert 0 <= row["mean"] <= 100
        assert row["seeds"] == 1
    assert not docs.exists()
    assert not (tmp_path / "results").exists()
