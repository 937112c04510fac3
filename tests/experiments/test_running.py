"""Filling cells: one run per seed, except where no run depends on the seed."""

import dataclasses
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from experiments import running
from experiments.datasets.dataset import Dataset
from experiments.methods import METHOD_ROWS
from experiments.protocol import measure
from experiments.running import ProgressHooks, RunOptions, run_jobs
from experiments.runs import Cell, read_runs
from experiments.tables.table import CellJob
from experiments.tuned import store_tuned
from tests.ml.communities import split_of, two_communities


@pytest.fixture
def communities(monkeypatch: pytest.MonkeyPatch) -> Dataset:
    """Two communities with a published split, returned for any name of a data set."""
    graph = two_communities()
    dataset = Dataset("communities", "Communities", graph, published=split_of(graph))
    monkeypatch.setattr(running, "load_dataset", lambda _name: dataset)
    return dataset


def fill(method: str, split_kind: str, results: Path, settings: dict[str, Any]) -> list[float]:
    """Run three seeds of a method and return the seconds of each."""
    store_tuned(results, {"dataset": "communities", "method": method, "settings": settings})
    cell = Cell("table", "communities", split_kind, method)
    skipped = run_jobs(
        [CellJob(cell, METHOD_ROWS[method], 3)], RunOptions(results), ProgressHooks()
    )
    assert skipped == []
    runs = read_runs(cell, results)
    assert [run["seed"] for run in runs] == [0, 1, 2]
    return [run["seconds"] for run in runs]


@pytest.mark.usefixtures("communities")
def test_a_deterministic_method_runs_once_on_a_published_split(tmp_path: Path) -> None:
    seconds = fill("sl", "published", tmp_path, {"name": "SL", "gamma": 1.0, "alpha": 0.9})
    assert len(set(seconds)) == 1


def test_a_deterministic_method_runs_per_seed_on_seeded_splits(
    communities: Dataset, tmp_path: Path
) -> None:
    fill("majority", "seeded", tmp_path, {})
    stored = read_runs(Cell("table", "communities", "seeded", "majority"), tmp_path)
    expected = []
    for seed in range(3):
        split = communities.draw_split(seed)
        labels = communities.graph.labels
        counts = [(labels[split.train] == kind).sum() for kind in (0, 1)]
        expected.append(float((labels[split.test] == int(counts[1] > counts[0])).mean()))
    assert [run["accuracy"] for run in stored] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("key", ["majority", "lp", "sl", "fpr"])
def test_a_deterministic_method_gives_the_same_result_for_any_seed(
    key: str, communities: Dataset
) -> None:
    row = METHOD_ROWS[key]
    settings = row.published("communities")
    first, second = (measure(row, communities, "published", settings, seed) for seed in (0, 1))
    assert row.deterministic
    assert dataclasses.replace(first, seed=1, seconds=0) == dataclasses.replace(second, seconds=0)


def linger(sign: str) -> None:
    """Create a file, then take longer than any test."""
    Path(sign).touch()
    time.sleep(600)


def test_worker_processes_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    signs = [tmp_path / "one", tmp_path / "two"]
    program = (
        "from experiments.running import spread\n"
        "from tests.experiments.test_running import linger\n"
        f"list(spread(linger, {[(str(sign),) for sign in signs]!r}, 2))"
    )
    run = subprocess.Popen([sys.executable, "-c", program], cwd=Path(__file__).parents[2])
    try:
        deadline = time.monotonic() + 60
        while not all(sign.exists() for sign in signs) and time.monotonic() < deadline:
            time.sleep(0.05)
        workers = psutil.Process(run.pid).children()
        assert all(sign.exists() for sign in signs)
    finally:
        run.kill()
        run.wait()
    _, left = psutil.wait_procs(workers, timeout=10)
    for worker in left:
        worker.kill()
    assert left == []
