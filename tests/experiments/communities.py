"""A small data set with a published split, for tests of the protocol."""

import dataclasses
from typing import Any

import numpy as np

from experiments.datasets.dataset import Dataset
from tests.ml.communities import split_of, two_communities


def dataset_with(labels_of_test: np.ndarray[Any, Any] | None = None) -> Dataset:
    """The communities with a published split; the labels of its test nodes as given."""
    graph = two_communities()
    split = split_of(graph)
    if labels_of_test is not None:
        labels = graph.labels.copy()
        labels[split.test] = labels_of_test
        graph = dataclasses.replace(graph, labels=labels)
    return Dataset(name="communities", title="Communities", graph=graph, published=split)


def turned_test_labels() -> np.ndarray[Any, Any]:
    plain = dataset_with()
    return 1 - plain.graph.labels[split_of(plain.graph).test]
