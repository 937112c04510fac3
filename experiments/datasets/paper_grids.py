"""IEEE 118 and SC 500 as the paper's first author used them."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from experiments.datasets.dataset import Dataset, find_file
from experiments.datasets.titles import title_of
from ml.arrays import FloatArray
from ml.graph.graph import Graph
from ml.graph.split import Split

SOURCE = "these arrays were converted from the author's published follow-up work"


def load_ieee118(folder: Path) -> Dataset:
    """Read IEEE 118: 175 directed pairs, 7 of weight two. Raises: DatasetUnavailable."""
    path = find_file(folder, "ieee118_paper.npz", SOURCE)
    graph, split = _read(path, "edge_weight")
    return Dataset(name="ieee118", title=title_of("ieee118"), graph=graph, published=split)


def load_sc500(folder: Path) -> Dataset:
    """Read SC 500 with all 584 pairs of weight one. Raises: DatasetUnavailable."""
    graph, split = _read(find_file(folder, "sc500_paper.npz", SOURCE), None)
    return Dataset(name="sc500", title=title_of("sc500"), graph=graph, published=split)


def load_sc500_by_charging(folder: Path) -> Dataset:
    """Read SC 500 weighted by line charging; the 292 pairs without charging are dropped."""
    graph, split = _read(find_file(folder, "sc500_paper.npz", SOURCE), "edge_br_b")
    return Dataset(name="sc500_br_b", title=title_of("sc500_br_b"), graph=graph, published=split)


def _read(path: Path, weight: str | None) -> tuple[Graph, Split]:
    with np.load(path, allow_pickle=False) as parts:
        edges = parts["edges"].astype(np.int64)
        weights: FloatArray = np.ones(len(edges))
        if weight is not None:
            weights = parts[weight].astype(np.float64)
        graph = Graph(
            node_count=len(parts["labels"]),
            edges=edges[weights > 0],
            weights=weights[weights > 0],
            directed=True,
            features=parts["features"],
            feature_names=tuple(parts["feature_names"].tolist()),
            labels=parts["labels"].astype(np.int64),
            class_names=tuple(parts["class_names"].tolist()),
        )
        split = Split(parts["train"], parts["val"], parts["test"])
    return graph, split


LOADERS: dict[str, Callable[[Path], Dataset]] = {
    "ieee118": load_ieee118,
    "sc500": load_sc500,
    "sc500_br_b": load_sc500_by_charging,
}
