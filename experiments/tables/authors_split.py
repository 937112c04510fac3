"""LFGCN on the authors' own split of IEEE 118 and SC 500, with baselines that need no graph."""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.datasets.dataset import Dataset
from experiments.datasets.paper_grids import LOADERS
from experiments.json_lines import Line, find_line, update_line
from experiments.methods import METHOD_ROWS, MethodRow
from experiments.protocol import measure
from ml.methods.registry import make_config
from ml.training.search import Options, Range, SearchResult, Space, search_settings

DATASETS = ("ieee118", "sc500")
AIMS = {"ieee118": 0.81, "sc500": 0.96}
TRIALS = 40
SEARCH_SEEDS = (100, 101)
"""Seeds of the search; none of them is reported."""
NETWORKS: tuple[str, ...] = ("lfgcn", "mlp")
_COMMON: Space = {
    "learning_rate": Range(1e-3, 1e-1, logarithmic=True),
    "weight_decay": Range(1e-5, 1e-2, logarithmic=True),
    "width": Options((16, 32, 64)),
    "dropout": Options((0.0, 0.2, 0.5)),
    "feature_scaling": Options(("none", "standard", "minmax", "quantile")),
}
SPACES: dict[str, Space] = {
    "mlp": _COMMON,
    "lfgcn": {
        "alpha": Range(0.05, 0.9),
        "sigma": Options((0.0, 0.5, 1.0)),
        "gamma": Range(1e-3, 1.0, logarithmic=True),
        **_COMMON,
    },
}

OnProgress = Callable[[str], None]


@dataclass(frozen=True)
class Study:
    """Folders of the data and of the results, and the budget of a search."""

    data: Path
    results: Path
    trials: int = TRIALS
    epochs: int = 200

    @property
    def tuned_path(self) -> Path:
        """Return the file of finished searches, one line per data set and method."""
        return self.results / "authors_split_tuned.jsonl"

    @property
    def rows_path(self) -> Path:
        """Return the file of measured rows, one line per data set and method."""
        return self.results / "authors_split.jsonl"

    def database(self, name: str, method: str) -> Path:
        """Return the file of an unfinished search, from which a later call continues."""
        return self.results / f".authors_split.{name}.{method}.db"


def choose_settings(
    study: Study, name: str, method: str, on_progress: OnProgress
) -> dict[str, Any]:
    """Return the settings with the best validation accuracy; a finished search is stored.

    Every network gets the same number of trials. Test labels are erased before the search.
    """
    key = {"dataset": name, "method": method}
    line = find_line(study.tuned_path, key)
    if line is None:
        study.results.mkdir(parents=True, exist_ok=True)
        line = {**key, **_summary(_search(study, LOADERS[name](study.data), method, on_progress))}
        _store(study.tuned_path, key, line)
        study.database(name, method).unlink()
    settings: dict[str, Any] = line["settings"]
    return settings


def measure_dataset(
    study: Study, name: str, seeds: Sequence[int], on_progress: OnProgress
) -> list[dict[str, Any]]:
    """Store and return one row per method: mean and deviation of the accuracy over seeds."""
    dataset = LOADERS[name](study.data)
    rows = [
        _row(dataset, METHOD_ROWS["majority"], {}, seeds),
        _row(dataset, METHOD_ROWS["forest"], METHOD_ROWS["forest"].published(dataset.name), seeds),
    ]
    for method in reversed(NETWORKS):
        settings = choose_settings(study, name, method, on_progress)
        rows.append(_row(dataset, METHOD_ROWS[method], settings, seeds))
    for row in rows:
        _store(study.rows_path, {"dataset": row["dataset"], "method": row["method"]}, row)
    return rows


def _store(path: Path, key: dict[str, str], line: Line) -> None:
    update_line(path, key, lambda _stored: line)


def _search(study: Study, dataset: Dataset, method: str, on_progress: OnProgress) -> SearchResult:
    if dataset.published is None:
        raise ValueError(f"{dataset.name} has no published split")
    base = make_config(
        method=method, epochs=study.epochs, patience=50, stop_on="loss", device="cpu"
    )
    if method != "lfgcn":
        base = dataclasses.replace(base, drop_edge="none")
    return search_settings(
        dataset.graph,
        dataset.published,
        base,
        trials=study.trials,
        space=SPACES[method],
        seeds=SEARCH_SEEDS,
        storage=f"sqlite:///{study.database(dataset.name, method)}",
        on_attempt=lambda number, attempt: on_progress(
            f"{dataset.name} {method}: {number}/{study.trials}: {attempt.validation_accuracy}"
        ),
    )


def _summary(result: SearchResult) -> dict[str, Any]:
    best = max(
        (attempt for attempt in result.attempts if attempt.score is not None),
        key=lambda attempt: attempt.score or 0.0,
    )
    settings = result.config.as_dict()
    del settings["method"], settings["seed"]
    return {
        "settings": settings,
        "validation_accuracy": best.validation_accuracy,
        "seeds": list(SEARCH_SEEDS),
        "trials": [
            {**attempt.settings, "validation_accuracy": attempt.validation_accuracy}
            for attempt in result.attempts
        ],
    }


def _row(
    dataset: Dataset, method: MethodRow, settings: dict[str, Any], seeds: Sequence[int]
) -> dict[str, Any]:
    runs = [measure(method, dataset, "published", settings, seed) for seed in seeds]
    accuracies = [run.accuracy for run in runs]
    return {
        "dataset": dataset.name,
        "method": method.title,
        "mean": float(np.mean(accuracies)),
        "std": float(np.std(accuracies, ddof=1)) if len(seeds) > 1 else 0.0,
        "validation": float(np.mean([run.validation_accuracy for run in runs])),
        "seeds": list(seeds),
    }
