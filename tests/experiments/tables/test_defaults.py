"""Default settings are chosen on separate grids, and finished rows are not measured again."""

from pathlib import Path

import pytest

from experiments.json_lines import read_lines
from experiments.paths import RESULTS
from experiments.tables import defaults
from experiments.tables.table import TABLE_NAMES, get_table
from ml.methods.registry import make_config


def test_no_table_reports_a_grid_that_chose_the_defaults() -> None:
    reported = {job.cell.dataset for name in TABLE_NAMES for job in get_table(name).jobs()}
    assert reported.isdisjoint(defaults.GRIDS)


def test_the_candidate_with_the_best_mean_at_the_default_filter_is_the_default() -> None:
    rows = read_lines(RESULTS / "defaults.jsonl")
    means = {
        candidate: sum(row["accuracy"] for row in rows if row["reading"] == candidate)
        for candidate, changes in defaults.CANDIDATES.items()
        if "alpha" not in changes
    }
    changes = defaults.CANDIDATES[max(means, key=means.__getitem__)]
    assert {name: getattr(make_config(), name) for name in changes} == changes


def test_a_second_call_continues_where_the_first_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(defaults, "GRIDS", ("case57_role",))
    monkeypatch.setattr(defaults, "CANDIDATES", {"short": {"epochs": 2}})
    monkeypatch.setattr(defaults, "DIVISIONS", 2)
    progress: list[str] = []
    first = defaults.compare_defaults(tmp_path, progress.append)
    assert defaults.compare_defaults(tmp_path, progress.append) == first
    assert len(progress) == 1
