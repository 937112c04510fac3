"""Cora, CiteSeer and PubMed with the standard split of Yang et al. (2016)."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from experiments.datasets.dataset import Dataset, find_file
from experiments.datasets.inert_pickle import read_inert_pickle
from experiments.datasets.plain_arrays import MAX_BYTES
from experiments.datasets.titles import title_of
from ml.arrays import FloatArray, IntArray
from ml.errors import DatasetUnavailable
from ml.graph.graph import UNLABELLED, Graph
from ml.graph.split import Split

Part = TypeVar("Part")

SOURCE = (
    "put the eight files ind.<name>.* of github.com/kimiyoung/planetoid (folder data) there as "
    "they are, or one <name>.npz with the arrays edges, x_data, x_indices, x_indptr, x_shape, "
    "labels, train, val, test"
)
_VALIDATION_NODES = 500
_MAX_ENTRIES = 2**27  # a GiB of features; CiteSeer, the largest, has a tenth
_MAX_DIGITS = 10
_NAMES = ("cora", "citeseer", "pubmed")


def load_planetoid(name: str, folder: Path) -> Dataset:
    """Read a citation graph from ``<name>.npz``, else from the original ``ind.<name>.*``.

    Deviation: rows of the features are scaled to sum to one, as in Kipf and Welling (2017).
    Raises: DatasetUnavailable if a file is absent, or an original holds more than plain data.
    """
    path = folder / f"{name}.npz"
    if not path.is_file() and any(folder.glob(f"ind.{name}.*")):
        graph, split = _read_originals(folder, f"ind.{name}")
    else:
        graph, split = _read_archive(find_file(folder, path.name, SOURCE))
    return Dataset(name=name, title=title_of(name), graph=graph, published=split)


def _read_archive(path: Path) -> tuple[Graph, Split]:
    with np.load(path, allow_pickle=False) as parts:
        graph = Graph(
            node_count=len(parts["labels"]),
            edges=parts["edges"].astype(np.int64),
            weights=np.ones(len(parts["edges"])),
            features=scale_rows(read_features(parts)),
            labels=parts["labels"].astype(np.int64),
        )
        return graph, Split(parts["train"], parts["val"], parts["test"])


def _read_originals(folder: Path, stem: str) -> tuple[Graph, Split]:
    """Assemble the files of Yang et al. (2016).

    The first ``len(y)`` nodes are trained on, the 500 after them are for validation. ``x``
    repeats the first rows of ``allx`` and is not opened.
    """
    allx, tx = (_read_part(folder, f"{stem}.{part}", sp.csr_array) for part in ("allx", "tx"))
    y, ally, ty = (_read_part(folder, f"{stem}.{part}", np.ndarray) for part in ("y", "ally", "ty"))
    test = _read_test_nodes(folder, f"{stem}.test.index")
    count = int(test.max()) + 1
    rows_fit = allx.shape[0] == len(ally) == test.min() and tx.shape[0] == len(ty) == len(test)
    columns_fit = allx.shape[1] == tx.shape[1] and ally.shape[1:] == ty.shape[1:]
    labels_fit = ally.ndim == 2 and ally.size > 0 and len(y) <= len(ally)
    if not (rows_fit and columns_fit and labels_fit):
        raise DatasetUnavailable(f"the files {stem}.* have sizes that do not fit together")
    if count * max(allx.shape[1], 1) > _MAX_ENTRIES:
        raise DatasetUnavailable(f"the files {stem}.* have more than {_MAX_ENTRIES} features")
    edges = _read_edges(folder, f"{stem}.graph", count)
    graph = Graph(
        node_count=count,
        edges=edges,
        weights=np.ones(len(edges)),
        features=scale_rows(_place_rows(allx.toarray(), tx.toarray(), test, 0)),
        labels=_place_rows(_classes_of(ally), _classes_of(ty), test, UNLABELLED),
    )
    validation = np.arange(len(y), min(len(y) + _VALIDATION_NODES, len(ally)))
    return graph, Split(np.arange(len(y)), validation, test)


def _read_part(folder: Path, name: str, kind: type[Part]) -> Part:
    part = read_inert_pickle(find_file(folder, name, SOURCE))
    if not isinstance(part, kind):
        raise DatasetUnavailable(f"{name} holds a {type(part).__name__}, not a {kind.__name__}")
    return part


def _read_test_nodes(folder: Path, name: str) -> IntArray:
    """Return the node of each row of ``tx`` and ``ty``, one per line."""
    path = find_file(folder, name, SOURCE)
    if path.stat().st_size > MAX_BYTES:
        raise DatasetUnavailable(f"{name} is longer than {MAX_BYTES} bytes")
    lines = path.read_bytes().split()
    if not lines or not all(line.isdigit() and len(line) < _MAX_DIGITS for line in lines):
        raise DatasetUnavailable(f"{name} is not a list of nodes")
    nodes = np.array([int(line) for line in lines], dtype=np.int64)
    if len(np.unique(nodes)) != len(nodes):
        raise DatasetUnavailable(f"{name} gives a node more than once")
    return nodes


def _read_edges(folder: Path, name: str, node_count: int) -> IntArray:
    """Return the unique pairs ``i < j`` of a dict of neighbours in row order, (E, 2)."""
    neighbours = _read_part(folder, name, dict)
    if not all(isinstance(nodes, list) for nodes in neighbours.values()):
        raise DatasetUnavailable(f"{name} does not list the neighbours of every node")
    listed = [(node, other) for node, nodes in neighbours.items() for other in nodes]
    if not all(isinstance(end, int) and 0 <= end < node_count for pair in listed for end in pair):
        raise DatasetUnavailable(f"{name} names a node that does not exist")
    pairs = np.sort(np.array(listed, dtype=np.int64).reshape(-1, 2), axis=1)
    return np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)


def _classes_of(one_hot: npt.NDArray[Any]) -> IntArray:
    """Return the class of each row, unlabelled where all is zero. Shapes: (N, K) -> (N,)."""
    labelled = one_hot.any(axis=1)
    return np.where(labelled, one_hot.argmax(axis=1), UNLABELLED).astype(np.int64)


def _place_rows(
    first: npt.NDArray[Any], rows: npt.NDArray[Any], places: IntArray, absent: int
) -> npt.NDArray[Any]:
    """Put row i of ``rows`` at ``places[i]`` behind ``first``; other rows are ``absent``.

    CiteSeer has 15 such rows: isolated nodes without features and label.
    """
    placed = np.full((places.max() + 1, *first.shape[1:]), absent, dtype=first.dtype)
    placed[: len(first)] = first
    placed[places] = rows
    return placed


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
    name: partial(load_planetoid, name) for name in _NAMES
}
