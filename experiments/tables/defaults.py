"""Compares default settings for grids that nobody tuned for, on grids that no table reports."""

import dataclasses
from functools import partial
from pathlib import Path
from typing import Any

from experiments.datasets.dataset import Dataset, load_dataset
from experiments.datasets.grid_tasks import DEVELOPMENT_TASKS
from experiments.json_lines import read_lines
from experiments.tables.readings import OnProgress, store_row, summarise
from ml.methods.registry import make_config
from ml.training.fit import fit

DIVISIONS = 10
"""Number of seeded 10/20/70 splits per candidate."""
GRIDS = tuple(f"{case}_{task}" for case, task in DEVELOPMENT_TASKS)
CENTRE = make_config(
    dropout=0.0, weight_decay=5e-4, stop_on="loss", feature_scaling="quantile", device="cpu"
)
_CALM: dict[str, Any] = {"dropout": 0.5, "weight_decay": 5e-3}
CANDIDATES: dict[str, dict[str, Any]] = {
    "centre: no dropout, decay 5e-4, stop on loss, ranks": {},
    "stop on accuracy": {"stop_on": "accuracy"},
    "dropout 0.5, decay 5e-3": _CALM,
    "dropout 0.5, decay 5e-3, stop on accuracy": {**_CALM, "stop_on": "accuracy"},
    "the same, standardised features": {
        **_CALM,
        "stop_on": "accuracy",
        "feature_scaling": "standard",
    },
    "the same, alpha 0.5, gamma 1": {**_CALM, "stop_on": "accuracy", "alpha": 0.5, "gamma": 1.0},
    "the same, without P-DropEdge": {**_CALM, "stop_on": "accuracy", "drop_edge": "none"},
}


def compare_defaults(results: Path, on_progress: OnProgress) -> list[dict[str, Any]]:
    """Train every candidate on every grid; a later call continues from the stored rows.

    Candidates are judged on test nodes, which neither train nor stop a run: on validation nodes,
    a rule that stops on accuracy would be favoured by its own choice.
    """
    path = results / "defaults.jsonl"
    for name in GRIDS:
        dataset = load_dataset(name)
        for candidate, changes in CANDIDATES.items():
            store_row(path, name, candidate, partial(_judge, dataset, changes), on_progress)
    return list(read_lines(path))


def _judge(dataset: Dataset, changes: dict[str, Any]) -> dict[str, Any]:
    accuracies, losses = [], []
    for seed in range(DIVISIONS):
        config = dataclasses.replace(CENTRE, seed=seed, **changes)
        scores = fit(dataset.graph, dataset.draw_split(seed), config).metrics["test"]
        accuracies.append(scores.accuracy)
        losses.append(scores.log_loss)
    return summarise(accuracies, losses)
