"""One protocol for all methods: what is fixed, what is hidden, how a run is measured."""

import dataclasses
import time
from dataclasses import asdict, dataclass
from typing import Any

from experiments.datasets.dataset import Dataset
from experiments.methods import Contender, Settings
from ml.arrays import FloatArray
from ml.graph.graph import UNLABELLED, Graph
from ml.graph.metrics import evaluate
from ml.graph.split import Split
from ml.methods.direct import fit_direct
from ml.methods.registry import get_method, make_config

CITATION = frozenset({"cora", "citeseer", "pubmed", "cora_ml_directed", "cora_directed"})
WORD_FREQUENCIES = frozenset({"pubmed"})
"""Citation graphs whose features say how often a word occurs; on the others words are there or
not. Whether a network sees the frequencies or the presence is chosen on validation nodes."""
GRID_RUN: Settings = {
    "epochs": 300,
    "patience": 30,
    "stop_on": "loss",
    "feature_scaling": "standard",
    "device": "cpu",
}
CITATION_RUN: Settings = {**GRID_RUN, "epochs": 1000, "patience": 100, "feature_scaling": "none"}
"""Long enough for the small learning rates that GAT, SPAGAN and APPNP were published with."""
SCALED_BY_AUTHORS = frozenset({"ieee118", "sc500", "sc500_br_b"})
"""Grids whose features came scaled by the paper's author; they are taken as they are."""
UNNAMED: Settings = {"dropout": 0.0, "weight_decay": 5e-4}
"""What a network starts its search with where its source names nothing."""
QUICK_RUN: Settings = {"epochs": 10, "patience": 10}
PEEKING = "peeking"
"""A kind of split that explains published figures and gives none of ours: the epoch is the one
with the highest accuracy on the test nodes of the published split."""


@dataclass(frozen=True)
class Measurement:
    """What one run of one method gave; accuracies are shares, not percent.

    ``seconds`` are those of the processor, which a busy machine does not lengthen.
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


def run_settings(dataset: str, *, quick: bool) -> Settings:
    """Return what is equal for all methods on a data set: stopping and feature scaling."""
    settings = CITATION_RUN if dataset in CITATION else GRID_RUN
    if dataset in SCALED_BY_AUTHORS:
        settings = {**settings, "feature_scaling": "none"}
    if dataset == "tx2000":
        settings = {**settings, "feature_scaling": "minmax"}
    return {**settings, **QUICK_RUN} if quick else settings


def hide_test_labels(graph: Graph, split: Split) -> Graph:
    """Return the graph as every method gets it: only training and validation labels are left.

    Deviation: nodes in none of the three sets lose their label too.
    """
    labels = graph.labels.copy()
    labels[:] = UNLABELLED
    for nodes in (split.train, split.validation):
        labels[nodes] = graph.labels[nodes]
    return dataclasses.replace(graph, labels=labels)


def choose_split(dataset: Dataset, setting: str, seed: int) -> Split:
    """Return the published split, the same for all seeds, or the one drawn by the seed.

    ``PEEKING`` gives the published one with its test nodes for validation and none for testing.
    """
    if setting == "published" and dataset.published is not None:
        return dataset.published
    if setting == PEEKING and dataset.published is not None:
        nothing = dataset.published.test[:0]
        return Split(dataset.published.train, dataset.published.test, nothing)
    return dataset.draw_split(seed)


def measure(
    contender: Contender, dataset: Dataset, setting: str, settings: Settings, seed: int
) -> Measurement:
    """Train once and measure on the test nodes.

    The method gets the graph without test labels, unless it is ``PEEKING``; they are joined to
    its predictions here.
    """
    if setting == PEEKING:
        settings = {**settings, "stop_on": "accuracy"}
    split = choose_split(dataset, setting, seed)
    graph = hide_test_labels(dataset.graph, split)
    started = time.process_time()
    probabilities, best_epoch, epochs = predict(contender, graph, split, settings, seed)
    seconds = time.process_time() - started
    tested = split.validation if setting == PEEKING else split.test
    test = evaluate(probabilities, dataset.graph.labels, tested)
    validation = evaluate(probabilities, graph.labels, split.validation)
    return Measurement(
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
    contender: Contender, dataset: Dataset, setting: str, settings: Settings, seed: int
) -> tuple[float, float]:
    """Train once and return accuracy and negative loss on the validation nodes alone."""
    split = choose_split(dataset, setting, seed)
    graph = hide_test_labels(dataset.graph, split)
    probabilities, _, _ = predict(contender, graph, split, settings, seed)
    scores = evaluate(probabilities, graph.labels, split.validation)
    return scores.accuracy, -scores.log_loss


def predict(
    contender: Contender, graph: Graph, split: Split, settings: Settings, seed: int
) -> tuple[FloatArray, int, int]:
    """Return probabilities (N, K), the best epoch and the number of epochs, zero if none."""
    if contender.method is None:
        method = get_method(contender.module)
        probabilities, _ = fit_direct(method, graph, split, method.settings(**settings, seed=seed))
        return probabilities, 0, 0
    from ml.training.fit import fit

    config = make_config(method=contender.method, seed=seed, **settings)
    result = fit(graph, split, config)
    return result.probabilities, result.best_epoch, len(result.history)
