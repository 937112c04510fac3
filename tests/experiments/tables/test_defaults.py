"""The defaults are judged on grids of their own, and what is done is not done again."""

import json
from pathlib import Path

import pytest

from experiments.tables import defaults
from experiments.tables.table import TABLE_NAMES, get_table
from ml.methods.registry import make_config

RESULTS = Path("experiments/results/defaults.json")


def test_no_table_reports_a_grid_that_chose_the_defaults() -> None:
    reported = {job.cell.dataset for name in TABLE_NAMES for job in get_table(name).jobs()}
    assert reported.isdisjoint(defaults.GRIDS)


def test_the_candidate_with_the_best_mean_at_the_default_filter_is_the_default() -> None:
    rows = json.loads(RESULTS.read_text())
    means = {
        candidate: sum(row["accuracy"] for row in rows if row["reading"] == candidate)
        for candidate, changes in defaults.CANDIDATES.items()
        if "alpha" not in changes
    }
    changes = defaults.CANDIDATES[max(means, key=means.__getitem__)]
    assert {name: getattr(make_config(), name) for name in changes} == changes


def test_a_second_call_goes_on_where_the_first_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(defaults, "GRIDS", ("case57_role",))
    monkeypatch.setattr(defaults, "CANDIDATES", {"short": {"epochs": 2}})
    monkeypatch.setattr(defaults, "DIVISIONS", 2)
    said: list[str] = []
    first = defaults.compare_defaults(tmp_path, said.append)
    assert defaults.compare_defaults(tmp_path, said.append) == first
    assert len(said) == 1
