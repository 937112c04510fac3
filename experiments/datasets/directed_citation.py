"""Directed Cora of graph2gauss, which users download themselves, and its stand-in Cora-ML."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from experiments.datasets.dataset import Dataset, find_file
from experiments.datasets.planetoid import read_features, scale_rows
from experiments.datasets.titles import title_of
from ml.graph.graph import Graph

CORA_SOURCE = (
    "save data/cora.npz of github.com/abojchevski/graph2gauss under this name "
    "(19,793 nodes, 70 classes)"
)
STAND_IN_SOURCE = "it is the directed Cora-ML graph of github.com/abojchevski/graph2gauss"


def load_directed_cora(folder: Path) -> Dataset:
    """Read the paper's directed Cora from graph2gauss's format without opening pickled objects.

    Raises: DatasetUnavailable if the file is absent.
    """
    path = find_file(folder, "cora_directed.npz", CORA_SOURCE)
    with np.load(path, allow_pickle=False) as parts:
        entries = (parts["adj_data"], parts["adj_indices"], parts["adj_indptr"])
        links = sp.csr_array(entries, shape=tuple(parts["adj_shape"])).tocoo()
        apart = links.row != links.col
        edges = np.stack([links.row, links.col], axis=1)[apart]
        features = scale_rows(read_features(parts, "attr"))
        labels = parts["labels"].astype(np.int64)
    graph = Graph(len(labels), edges, np.ones(len(edges)), True, features, labels=labels)
    return Dataset(name="cora_directed", title=title_of("cora_directed"), graph=graph)


def load_stand_in(folder: Path) -> Dataset:
    """Read directed Cora-ML, which is not the paper's graph and is never reported as such."""
    path = find_file(folder, "cora_ml_directed.npz", STAND_IN_SOURCE)
    with np.load(path, allow_pickle=False) as parts:
        edges = parts["edges"].astype(np.int64)
        features = scale_rows(read_features(parts))
        labels = parts["labels"].astype(np.int64)
    apart = edges[:, 0] != edges[:, 1]
    graph = Graph(len(labels), edges[apart], np.ones(apart.sum()), True, features, labels=labels)
    return Dataset(
        name="cora_ml_directed",
        title=title_of("cora_ml_directed"),
        graph=graph,
        note="a stand-in for the paper's directed Cora, which is not available",
    )


LOADERS: dict[str, Callable[[Path], Dataset]] = {
    "cora_directed": load_directed_cora,
    "cora_ml_directed": load_stand_in,
}
