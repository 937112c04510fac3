"""Filling cells: what is measured anew for a seed and what is not."""

import dataclasses
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from experiments import running
from experiments.datasets.dataset import Dataset
from experiments.methods import CONTENDERS
from experiments.protocol import measure
from experiments.running import Running, run_jobs
from experiments.runs import Cell, read_cell
from experiments.tables.table import Job
from experiments.tuning import frozen_path
from tests.ml.communities import split_of, two_communities


@pytest.fixture
def communities(monkeypatch: pytest.MonkeyPatch) -> Dataset:
    """A data set of two communities, with a published split, that running finds by any name."""
    graph = two_communities()
    dataset = Dataset("communities", "Communities", graph, published=split_of(graph))
    monkeypatch.setattr(running, "load_dataset", lambda _name: dataset)
    return dataset


def fill(method: str, setting: str, results: Path, settings: dict[str, Any]) -> list[float]:
    """Run three seeds of a method and return the seconds that each took."""
    path = frozen_path(results, "communities", method)
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"settings": settings}))
    cell = Cell("table", "communities", setting, method)
    skipped = run_jobs([Job(cell, CONTENDERS[method], 3)], Running(results), lambda _step: None)
    assert skipped == []
    runs = read_cell(cell, results)["runs"]
    assert [run["seed"] for run in runs] == [0, 1, 2]
    return [run["seconds"] for run in runs]


@pytest.mark.usefixtures("communities")
def test_a_method_that_draws_nothing_runs_once_on_a_published_split(tmp_path: Path) -> None:
    seconds = fill("sl", "published", tmp_path, {"name": "SL", "gamma": 1.0, "alpha": 0.9})
    assert len(set(seconds)) == 1


def test_on_drawn_splits_it_runs_for_every_seed(communities: Dataset, tmp_path: Path) -> None:
    fill("majority", "seeded", tmp_path, {})
    stored = read_cell(Cell("table", "communities", "seeded", "majority"), tmp_path)["runs"]
    expected = []
    for seed in range(3):
        split = communities.draw_split(seed)
        labels = communities.graph.labels
        counts = [(labels[split.train] == kind).sum() for kind in (0, 1)]
        expected.append(float((labels[split.test] == int(counts[1] > counts[0])).mean()))
    assert [run["accuracy"] for run in stored] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("key", ["majority", "lp", "sl", "fpr"])
def test_a_method_called_deterministic_gives_the_same_for_any_seed(
    key: str, communities: Dataset
) -> None:
    contender = CONTENDERS[key]
    settings = contender.published("communities")
    first, second = (
        measure(contender, communities, "published", settings, seed) for seed in (0, 1)
    )
    assert contender.deterministic
    assert dataclasses.replace(first, seed=1, seconds=0) == dataclasses.replace(second, seconds=0)


def linger(sign: str) -> None:
    """Be seen to have begun, then take longer than any test."""
    Path(sign).touch()
    time.sleep(600)


def test_workers_end_with_the_run_that_started_them(tmp_path: Path) -> None:
    signs = [tmp_path / "one", tmp_path / "two"]
    program = (
        "from experiments.running import _spread\n"
        "from tests.experiments.test_running import linger\n"
        f"list(_spread(linger, {[(str(sign),) for sign in signs]!r}, 2))"
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
