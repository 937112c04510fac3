"""LFGCN on the authors' own split of IEEE 118 and SC 500, beside what needs no graph."""

import dataclasses
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.datasets.dataset import Dataset
from experiments.datasets.paper_grids import LOADERS
from experiments.methods import CONTENDERS, Contender
from experiments.protocol import measure
from ml.methods.registry import make_config
from ml.training.search import Choice, Range, SearchResult, Space, search_settings

DATASETS = ("ieee118", "sc500")
AIMS = {"ieee118": 0.81, "sc500": 0.96}
TRIALS = 40
SEARCH_SEEDS = (100, 101)
"""Not among the seeds that are reported."""
NETWORKS: tuple[str, ...] = ("lfgcn", "mlp")
_COMMON: Space = {
    "learning_rate": Range(1e-3, 1e-1, logarithmic=True),
    "weight_decay": Range(1e-5, 1e-2, logarithmic=True),
    "width": Choice((16, 32, 64)),
    "dropout": Choice((0.0, 0.2, 0.5)),
    "feature_scaling": Choice(("none", "standard", "minmax", "quantile")),
}
SPACES: dict[str, Space] = {
    "mlp": _COMMON,
    "lfgcn": {
        "alpha": Range(0.05, 0.9),
        "sigma": Choice((0.0, 0.5, 1.0)),
        "gamma": Range(1e-3, 1.0, logarithmic=True),
        **_COMMON,
    },
}

Report = Callable[[str], None]


@dataclass(frozen=True)
class Study:
    """Where the data lie, where choices are kept, and what a search may cost."""

    data: Path
    results: Path
    trials: int = TRIALS
    epochs: int = 200

    def choice_path(self, name: str, method: str) -> Path:
        """Return the file that keeps what was chosen for a method on a data set."""
        return self.results / "authors_split" / f"{name}.{method}.json"


def choose_settings(study: Study, name: str, method: str, report: Report) -> dict[str, Any]:
    """Return the settings with the best validation accuracy; searched for once, then kept.

    Every network gets the same number of trials. Test labels are erased before the search.
    """
    path = study.choice_path(name, method)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        found = _search(study, LOADERS[name](study.data), method, report)
        path.write_text(json.dumps(_summary(found), indent=1) + "\n", encoding="utf-8")
        _database(path).unlink()
    settings: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["settings"]
    return settings


def measure_dataset(
    study: Study, name: str, seeds: Sequence[int], report: Report
) -> list[dict[str, Any]]:
    """Return a row a method: mean and standard deviation of the test accuracy over seeds."""
    dataset = LOADERS[name](study.data)
    rows = [
        _row(dataset, CONTENDERS["majority"], {}, seeds),
        _row(dataset, CONTENDERS["forest"], CONTENDERS["forest"].published(dataset.name), seeds),
    ]
    for method in reversed(NETWORKS):
        settings = choose_settings(study, name, method, report)
        rows.append(_row(dataset, CONTENDERS[method], settings, seeds))
    return rows


def _search(study: Study, dataset: Dataset, method: str, report: Report) -> SearchResult:
    if dataset.published is None:
        raise ValueError(f"{dataset.name} has no published split")
    base = make_config(
        method=method, epochs=study.epochs, patience=50, stop_on="loss", device="cpu"
    )
    if method != "lfgcn":
        base = dataclasses.replace(base, drop_edge="none")
    database = _database(study.choice_path(dataset.name, method))
    return search_settings(
        dataset.graph,
        dataset.published,
        base,
        trials=study.trials,
        space=SPACES[method],
        seeds=SEARCH_SEEDS,
        storage=f"sqlite:///{database}",
        on_attempt=lambda number, attempt: report(
            f"{dataset.name} {method}: {number}/{study.trials}: {attempt.validation_accuracy}"
        ),
    )


def _database(choice: Path) -> Path:
    """Where an unfinished search is kept, so that it can go on."""
    return choice.with_suffix(".db")


def _summary(found: SearchResult) -> dict[str, Any]:
    best = max(
        (attempt for attempt in found.attempts if attempt.score is not None),
        key=lambda attempt: attempt.score or 0.0,
    )
    settings = found.config.as_dict()
    del settings["method"], settings["seed"]
    return {
        "settings": settings,
        "validation_accuracy": best.validation_accuracy,
        "seeds": list(SEARCH_SEEDS),
        "trials": [
            {**attempt.settings, "validation_accuracy": attempt.validation_accuracy}
            for attempt in found.attempts
        ],
    }


def _row(
    dataset: Dataset, contender: Contender, settings: dict[str, Any], seeds: Sequence[int]
) -> dict[str, Any]:
    runs = [measure(contender, dataset, "published", settings, seed) for seed in seeds]
    accuracies = [run.accuracy for run in runs]
    return {
        "dataset": dataset.name,
        "method": contender.title,
        "mean": float(np.mean(accuracies)),
        "std": float(np.std(accuracies, ddof=1)) if len(seeds) > 1 else 0.0,
        "validation": float(np.mean([run.validation_accuracy for run in runs])),
        "seeds": list(seeds),
    }
