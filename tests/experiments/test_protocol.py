"""The protocol that all methods share."""

from typing import Any

import numpy as np
import pytest

from experiments.methods import METHOD_ROWS
from experiments.protocol import PEEKING, choose_split, hide_test_labels, measure, validate
from ml.methods.registry import make_config
from ml.training.fit import fit
from tests.experiments.communities import dataset_with, turned_test_labels

FOREST = METHOD_ROWS["forest"]


def test_a_method_gets_no_label_outside_training_and_validation() -> None:
    dataset = dataset_with()
    split = choose_split(dataset, "published", 0)
    shown = hide_test_labels(dataset.graph, split)
    assert set(np.flatnonzero(shown.labelled)) == {*split.train, *split.validation}


def test_test_labels_change_the_accuracy_and_nothing_else() -> None:
    settings = FOREST.published("communities")
    first = measure(FOREST, dataset_with(), "published", settings, 0)
    second = measure(FOREST, dataset_with(turned_test_labels()), "published", settings, 0)
    assert first.validation_accuracy == second.validation_accuracy
    assert first.accuracy == pytest.approx(1 - second.accuracy)


def test_validation_is_scored_without_test_nodes() -> None:
    settings = FOREST.published("communities")
    scores = [
        validate(FOREST, dataset, "published", settings, 0)
        for dataset in (dataset_with(), dataset_with(turned_test_labels()))
    ]
    assert scores[0] == scores[1]


def test_peeking_selects_the_epoch_with_the_best_test_accuracy() -> None:
    dataset = dataset_with()
    split = choose_split(dataset, PEEKING, 0)
    assert dataset.published is not None
    assert split.validation.tolist() == dataset.published.test.tolist()
    settings: dict[str, Any] = {"epochs": 30, "width": 4, "device": "cpu", "drop_edge": "none"}
    graph = hide_test_labels(dataset.graph, split)
    by_loss = []
    for seed in range(4):
        peeked = measure(
            METHOD_ROWS["mlp"], dataset, PEEKING, {**settings, "stop_on": "loss"}, seed
        )
        history = fit(graph, split, make_config(method="mlp", seed=seed, **settings)).history
        highest = max(record.validation_accuracy for record in history)
        assert history[peeked.best_epoch - 1].validation_accuracy == highest
        by_loss.append(min(history, key=lambda record: record.validation_loss).validation_accuracy)
        by_loss[-1] -= highest
    assert min(by_loss) < 0, "on this data the loss finds the same epochs: nothing was shown"
