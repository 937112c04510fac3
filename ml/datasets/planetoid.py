"""Cora, CiteSeer and PubMed with the standard split of Yang et al. (2016)."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ml.arrays import FloatArray
from ml.datasets.dataset import Dataset, find_file
from ml.errors import DatasetUnavailable
from ml.graph import Graph
from ml.split import Split

SOURCE = (
    "convert the files of github.com/kimiyoung/planetoid to arrays (edges, x_data, x_indices, "
    "x_indptr, x_shape, labels, train, val, test) in one npz"
)
_TITLES = {"cora": "Cora", "citeseer": "CiteSeer", "pubmed": "PubMed"}


def load_planetoid(name: str, folder: Path) -> Dataset:
    """Read a citation graph from ``<name>.npz``.

    Deviation: rows of the features are scaled to sum to one, as in Kipf and Welling (2017).
    Raises: DatasetUnavailable if the file is absent. The original ``ind.*`` files are pickles,
        which can run code when opened; they are refused by name.
    """
    path = folder / f"{name}.npz"
    originals = sorted(file.name for file in folder.glob(f"ind.{name}.*"))
    if not path.is_file() and originals:
        raise DatasetUnavailable(f"{originals[0]} is a pickle and is not opened; {SOURCE}")
    with np.load(find_file(folder, path.name, SOURCE), allow_pickle=False) as parts:
        graph = Graph(
            node_count=len(parts["labels"]),
            edges=parts["edges"].astype(np.int64),
            weights=np.ones(len(parts["edges"])),
            features=scale_rows(read_features(parts)),
            labels=parts["labels"].astype(np.int64),
        )
        split = Split(parts["train"], parts["val"], parts["test"])
    return Dataset(name=name, title=_TITLES[name], graph=graph, published=split)


def read_features(parts: Any, prefix: str = "x") -> FloatArray:
    """Return the features of an archive that holds them as compressed rows, (N, Q)."""
    entries = (parts[f"{prefix}_data"], parts[f"{prefix}_indices"], parts[f"{prefix}_indptr"])
    matrix = sp.csr_array(entries, shape=tuple(parts[f"{prefix}_shape"]))
    return np.asarray(matrix.toarray(), dtype=np.float64)


def scale_rows(features: FloatArray) -> FloatArray:
    """Divide each row by its sum; a row of zeros stays. Shapes: (N, Q) -> (N, Q)."""
    totals = features.sum(axis=1, keepdims=True)
    return features / np.where(totals == 0, 1, totals)


LOADERS: dict[str, Callable[[Path], Dataset]] = {
    name: partial(load_planetoid, name) for name in _TITLES
}
