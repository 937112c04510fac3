"""Compares possible readings of details that the paper leaves open, on validation nodes."""

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from experiments.datasets.dataset import Dataset, load_dataset
from experiments.json_lines import find_line, read_lines, update_line
from experiments.protocol import hide_test_labels
from ml.graph.split import Split
from ml.methods.registry import make_config
from ml.training.fit import fit

DIVISIONS = {"ieee118": 20, "sc500": 10, "tx2000": 3}
"""Number of divisions into training and validation nodes per grid."""
BASE = make_config(
    feature_scaling="standard",
    drop_edge="none",
    dropout=0.0,
    weight_decay=5e-4,
    stop_on="loss",
    epochs=200,
    patience=50,
    device="cpu",
)
READINGS: dict[str, dict[str, Any]] = {
    "skip carries the input": {"skip": "input", "output_skip": False},
    "skip carries the input, in the last layer too": {"skip": "input", "output_skip": True},
    "skip carries the filtered input": {"skip": "filtered", "output_skip": False},
    "skip carries the filtered input, in the last layer too": {
        "skip": "filtered",
        "output_skip": True,
    },
    "skip carries the pooled matrix": {"skip": "pooled"},
    "no skip": {"skip": "none"},
    "gate: one weight a branch and column": {"gate": "channel"},
    "activation before the branches are joined": {"activation": "branch"},
    "pooling: mixed": {"pooling": "mixed"},
    "pooling: max": {"pooling": "max"},
    "pooling: average": {"pooling": "average"},
    "one branch": {"branches": 1},
    "dropout 0.25": {"dropout": 0.25},
    "dropout 0.5": {"dropout": 0.5},
    "features scaled to [0, 1]": {"feature_scaling": "minmax"},
    "features as they are": {"feature_scaling": "none"},
    "features by their ranks": {"feature_scaling": "quantile"},
    "balanced class weights": {"class_weights": "balanced"},
    "stop on accuracy": {"stop_on": "accuracy"},
}

OnProgress = Callable[[str], None]


def compare_readings(results: Path, on_progress: OnProgress) -> list[dict[str, Any]]:
    """Train every reading on every grid; a later call continues from the stored rows.

    Only training and validation nodes of the published splits are used, divided anew; the test
    nodes are left out. TX 2000 has no published split, so its splits are drawn.
    """
    path = results / "readings.jsonl"
    for name, count in DIVISIONS.items():
        dataset = load_dataset(name)
        for reading, changes in READINGS.items():
            judge = partial(_try, dataset, count, changes)
            store_row(path, name, reading, judge, on_progress)
    return list(read_lines(path))


def store_row(
    path: Path,
    dataset: str,
    reading: str,
    judge: Callable[[], dict[str, Any]],
    on_progress: OnProgress,
) -> None:
    """Measure and store the row of a reading on a data set, unless it is stored already."""
    key = {"dataset": dataset, "reading": reading}
    if find_line(path, key) is None:
        row = {**key, **judge()}
        update_line(path, key, lambda _stored: row)
        on_progress(f"{dataset}: {reading}: {100 * row['accuracy']:.1f} %")


def tabulate(
    rows: list[dict[str, Any]], readings: Iterable[str], datasets: Collection[str]
) -> list[str]:
    """Return a Markdown table: one reading per line, with accuracy in percent (and loss)."""
    lines = [
        "| reading | " + " | ".join(datasets) + " | mean |",
        "|---|" + "---|" * (len(datasets) + 1),
    ]
    stored = {(row["reading"], row["dataset"]): row for row in rows}
    for reading in readings:
        cells = [stored.get((reading, name)) for name in datasets]
        shown = ["not run" if cell is None else _show(cell) for cell in cells]
        accuracies = [cell["accuracy"] for cell in cells if cell is not None]
        complete = len(accuracies) == len(datasets)
        mean = f"{100 * np.mean(accuracies):.2f}" if complete else "not run"
        lines.append(f"| {reading} | {' | '.join(shown)} | {mean} |")
    return lines


def divide_anew(dataset: Dataset, count: int) -> Iterator[Split]:
    """Divide all nodes except test nodes into training and validation nodes, once per seed."""
    nothing = np.zeros(0, dtype=np.int64)
    for seed in range(count):
        drawn = dataset.published or dataset.draw_split(seed)
        nodes = np.concatenate([drawn.train, drawn.validation])
        shuffled = np.random.default_rng(seed).permutation(nodes)
        cut = len(drawn.train)
        yield Split(shuffled[:cut], shuffled[cut:], nothing)


def _try(dataset: Dataset, count: int, changes: dict[str, Any]) -> dict[str, Any]:
    accuracies, losses = [], []
    for seed, split in enumerate(divide_anew(dataset, count)):
        config = dataclasses.replace(BASE, seed=seed, **changes)
        measured = fit(hide_test_labels(dataset.graph, split), split, config).metrics
        accuracies.append(measured["validation"].accuracy)
        losses.append(measured["validation"].log_loss)
    return summarise(accuracies, losses)


def summarise(accuracies: list[float], losses: list[float]) -> dict[str, Any]:
    """Return the mean and standard error of the accuracies and the mean loss."""
    count = len(accuracies)
    return {
        "divisions": count,
        "accuracy": round(float(np.mean(accuracies)), 5),
        "error": round(float(np.std(accuracies, ddof=1) / np.sqrt(count)), 5),
        "loss": round(float(np.mean(losses)), 5),
    }


def _show(cell: dict[str, Any]) -> str:
    return f"{100 * cell['accuracy']:.1f} ± {100 * cell['error']:.1f} ({cell['loss']:.3f})"
