"""The protocol that all methods share: fixed settings, hidden test labels, measured runs."""

import dataclasses
import time
from dataclasses import asdict, dataclass
from typing import Any

from experiments.datasets.dataset import Dataset
from experiments.methods import MethodRow, SettingValues
from ml.arrays import FloatArray
from ml.graph.graph import UNLABELLED, Graph
from ml.graph.metrics import evaluate
from ml.graph.split import Split
from ml.methods.direct import fit_direct
from ml.methods.registry import get_method, make_config

CITATION = frozenset({"cora", "citeseer", "pubmed", "cora_ml_directed", "cora_directed"})
WORD_FREQUENCIES = frozenset({"pubmed"})
"""Citation graphs whose features are word frequencies; the others only state which words occur.
Whether a network sees frequencies or presence is chosen on validation nodes."""
GRID_RUN: SettingValues = {
    "epochs": 300,
    "patience": 30,
    "stop_on": "loss",
    "feature_scaling": "standard",
    "device": "cpu",
}
CITATION_RUN: SettingValues = {
    **GRID_RUN,
    "epochs": 1000,
    "patience": 100,
    "feature_scaling": "none",
}
"""Long enough for the small learning rates that GAT, SPAGAN and APPNP were published with."""
SCALED_BY_AUTHORS = frozenset({"ieee118", "sc500", "sc500_br_b"})
"""Grids whose features were already scaled by the paper's author; they are used unchanged."""
UNNAMED: SettingValues = {"dropout": 0.0, "weight_decay": 5e-4}
"""Settings that a search starts from where the source of a network names none."""
QUICK_RUN: SettingValues = {"epochs": 10, "patience": 10}
PEEKING = "peeking"
"""Kind of split that selects the epoch with the highest accuracy on the published test nodes.
It explains figures that others published; none of our results uses it."""


@dataclass(frozen=True)
class MeasuredRun:
    """Result of one run of one method; accuracies are fractions, not percent.

    ``seconds`` is processor time, which other programs on the machine do not change.
    """

    seed: int
    accuracy: float
    macro_f1: float
    validation_accuracy: float
    validation_loss: float
    best_epoch: int
    epochs: int
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            name: round(value, 6) if isinstance(value, float) else value
            for name, value in asdict(self).items()
        }


def run_settings(dataset: str, *, quick: bool) -> SettingValues:
    """Return the settings that all methods share on a data set: stopping and feature scaling."""
    settings = CITATION_RUN if dataset in CITATION else GRID_RUN
    if dataset in SCALED_BY_AUTHORS:
        settings = {**settings, "feature_scaling": "none"}
    if dataset == "tx2000":
        settings = {**settings, "feature_scaling": "minmax"}
    return {**settings, **QUICK_RUN} if quick else settings


def hide_test_labels(graph: Graph, split: Split) -> Graph:
    """Return the graph that every method gets: with training and validation labels only.

    Deviation: nodes in none of the three sets lose their label too.
    """
    labels = graph.labels.copy()
    labels[:] = UNLABELLED
    for nodes in (split.train, split.validation):
        labels[nodes] = graph.labels[nodes]
    return dataclasses.replace(graph, labels=labels)


def choose_split(dataset: Dataset, split_kind: str, seed: int) -> Split:
    """Return the published split, which is the same for all seeds, or the split of the seed.

    ``PEEKING`` returns the published split with its test nodes in the place of validation nodes.
    """
    if split_kind == "published" and dataset.published is not None:
        return dataset.published
    if split_kind == PEEKING and dataset.published is not None:
        nothing = dataset.published.test[:0]
        return Split(dataset.published.train, dataset.published.test, nothing)
    return dataset.draw_split(seed)


def measure(
    row: MethodRow, dataset: Dataset, split_kind: str, settings: SettingValues, seed: int
) -> MeasuredRun:
    """Train once and measure on the test nodes.

    The method never gets test labels, except under ``PEEKING``; they are compared with its
    predictions here.
    """
    if split_kind == PEEKING:
        settings = {**settings, "stop_on": "accuracy"}
    split = choose_split(dataset, split_kind, seed)
    graph = hide_test_labels(dataset.graph, split)
    started = time.process_time()
    probabilities, best_epoch, epochs = predict(row, graph, split, settings, seed)
    seconds = time.process_time() - started
    tested = split.validation if split_kind == PEEKING else split.test
    test = evaluate(probabilities, dataset.graph.labels, tested)
    validation = evaluate(probabilities, graph.labels, split.validation)
    return MeasuredRun(
        seed=seed,
        accuracy=test.accuracy,
        macro_f1=test.macro_f1,
        validation_accuracy=validation.accuracy,
        validation_loss=validation.log_loss,
        best_epoch=best_epoch,
        epochs=epochs,
        seconds=seconds,
    )


def validate(
    row: MethodRow, dataset: Dataset, split_kind: str, settings: SettingValues, seed: int
) -> tuple[float, float]:
    """Train once and return accuracy and negative loss on the validation nodes."""
    split = choose_split(dataset, split_kind, seed)
    graph = hide_test_labels(dataset.graph, split)
    probabilities, _, _ = predict(row, graph, split, settings, seed)
    scores = evaluate(probabilities, graph.labels, split.validation)
    return scores.accuracy, -scores.log_loss


def predict(
    row: MethodRow, graph: Graph, split: Split, settings: SettingValues, seed: int
) -> tuple[FloatArray, int, int]:
    """Return probabilities (N, K), the best epoch and the number of epochs, or zeros."""
    method = get_method(row.method)
    if not method.is_network:
        probabilities, _ = fit_direct(method, graph, split, method.settings(**settings, seed=seed))
        return probabilities, 0, 0
    from ml.training.fit import fit

    config = make_config(method=row.method, seed=seed, **settings)
    result = fit(graph, split, config)
    return result.probabilities, result.best_epoch, len(result.history)
