"""The graph that every operator, network and baseline works on."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from ml.arrays import BoolArray, FloatArray, IntArray, SparseMatrix
from ml.errors import Fault, InvalidGraph

UNLABELLED = -1
_MAX_POSITIONS_SHOWN = 5


def _no_columns() -> FloatArray:
    return np.zeros((0, 0))


@dataclass(frozen=True, eq=False)
class Graph:
    """A weighted graph with node features and partial labels; checks itself.

    Equation: Sec. III, ``G = {V, E, W}`` with features ``X`` (N x Q) and labels ``Y`` (N x K).
    Deviation: parallel edges add their weights; a self-loop is a fault, because it cancels
        in ``L = D - W``.
    Shapes: edges (E, 2), weights (E,), features (N, Q), labels (N,) with -1 for unknown.
    Raises: InvalidGraph naming every fault at once.
    """

    node_count: int
    edges: IntArray
    weights: FloatArray
    directed: bool = False
    features: FloatArray = field(default_factory=_no_columns)
    feature_names: tuple[str, ...] = ()
    labels: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    class_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._fill_absent_parts()
        faults = [*_edge_faults(self), *_feature_faults(self), *_label_faults(self)]
        if faults:
            raise InvalidGraph(faults)

    def _fill_absent_parts(self) -> None:
        edges = _whole_numbers("edges", self.edges)
        if edges.size and (edges.ndim != 2 or edges.shape[1] != 2):
            raise InvalidGraph([Fault("edges", f"shape {edges.shape}, expected (E, 2)")])
        object.__setattr__(self, "edges", edges.reshape(-1, 2))
        object.__setattr__(self, "weights", np.asarray(self.weights, dtype=np.float64).ravel())
        features = np.asarray(self.features, dtype=np.float64)
        if features.size == 0:
            features = np.zeros((max(self.node_count, 0), 0))
        object.__setattr__(self, "features", features)
        if not self.feature_names:
            names = tuple(f"x{column}" for column in range(features.shape[-1]))
            object.__setattr__(self, "feature_names", names)
        labels = _whole_numbers("labels", self.labels).ravel()
        if labels.size == 0:
            labels = np.full(max(self.node_count, 0), UNLABELLED, dtype=np.int64)
        object.__setattr__(self, "labels", labels)
        if not self.class_names and labels.size and labels.max() >= 0:
            names = tuple(str(label) for label in range(labels.max() + 1))
            object.__setattr__(self, "class_names", names)

    @cached_property
    def adjacency(self) -> SparseMatrix:
        """The symmetric weights every operator starts from.

        Equation: Sec. III, ``W`` if undirected, ``W' = (W + W^T) / 2`` if directed.
        Shapes: (N, N) sparse, symmetric, zero diagonal.
        """
        shape = (self.node_count, self.node_count)
        sources, targets = self.edges.T
        one_way = sp.coo_array((self.weights, (sources, targets)), shape=shape).tocsr()
        symmetric = one_way + one_way.T
        if self.directed:
            symmetric = symmetric / 2
        return sp.csr_array(symmetric)

    @cached_property
    def pairs(self) -> IntArray:
        """Undirected pairs ``i < j`` of ``adjacency`` in row order, (M, 2): the set E."""
        upper = sp.triu(self.adjacency, k=1).tocoo()
        order = np.lexsort((upper.col, upper.row))
        return np.stack([upper.row, upper.col], axis=1).astype(np.int64)[order]

    @cached_property
    def islands(self) -> IntArray:
        """The number of the connected component that each node belongs to, (N,)."""
        return islands_of(self.adjacency)

    @property
    def class_count(self) -> int:
        """Number of classes."""
        return len(self.class_names)

    @property
    def labelled(self) -> BoolArray:
        """True where the class of a node is known, (N,)."""
        return np.not_equal(self.labels, UNLABELLED)

    @cached_property
    def topology_hash(self) -> str:
        """SHA-256 of nodes and weighted edges, without features and labels."""
        digest = hashlib.sha256(f"{self.node_count};{self.directed};".encode())
        digest.update(np.ascontiguousarray(self.edges).tobytes())
        digest.update(np.ascontiguousarray(self.weights).tobytes())
        return digest.hexdigest()

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of topology and features; ``label_hash`` covers the labels."""
        digest = hashlib.sha256(self.topology_hash.encode())
        digest.update("\x1f".join(self.feature_names).encode())
        digest.update(np.ascontiguousarray(self.features).tobytes())
        return digest.hexdigest()

    @cached_property
    def label_hash(self) -> str:
        """SHA-256 of class names and labels."""
        digest = hashlib.sha256("\x1f".join(self.class_names).encode())
        digest.update(np.ascontiguousarray(self.labels).tobytes())
        return digest.hexdigest()


def islands_of(adjacency: SparseMatrix) -> IntArray:
    """Number the connected components of a symmetric matrix, (N,)."""
    _, island = connected_components(adjacency, directed=False)
    return np.asarray(island, dtype=np.int64)


def members_of_islands(adjacency: SparseMatrix) -> list[IntArray]:
    """Return the nodes of each connected component, in the order of ``islands_of``."""
    island = islands_of(adjacency)
    order = np.argsort(island, kind="stable")
    return np.split(order, np.cumsum(np.bincount(island))[:-1])


def censor_pairs(adjacency: SparseMatrix, pairs: IntArray) -> SparseMatrix:
    """Remove undirected pairs, both directions and all parallel circuits.

    Equation: Algorithm 1, output ``W - W_s``.
    Shapes: (N, N) symmetric, (k, 2) -> (N, N) symmetric with 2k entries fewer.
    """
    entries = adjacency.tocoo()
    count = adjacency.shape[0]
    keys = entries.row.astype(np.int64) * count + entries.col
    removed = np.concatenate([pairs[:, 0] * count + pairs[:, 1], pairs[:, 1] * count + pairs[:, 0]])
    remaining = ~np.isin(keys, removed)
    parts = (entries.data[remaining], (entries.row[remaining], entries.col[remaining]))
    return sp.csr_array(parts, shape=adjacency.shape)


def _whole_numbers(where: str, values: npt.ArrayLike) -> IntArray:
    given = np.asarray(values)
    if given.dtype.kind == "f" and given.size and not (given % 1 == 0).all():
        raise InvalidGraph([Fault(where, "not every entry is a whole number")])
    return given.astype(np.int64)


def _positions(wrong: npt.ArrayLike) -> str:
    positions = np.flatnonzero(wrong)
    shown = ", ".join(str(position) for position in positions[:_MAX_POSITIONS_SHOWN])
    more = len(positions) - _MAX_POSITIONS_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def _edge_faults(graph: Graph) -> list[Fault]:
    faults: list[Fault] = []
    if graph.node_count < 1:
        faults.append(Fault("nodes", "a graph has at least one node"))
    if len(graph.weights) != len(graph.edges):
        problem = f"{len(graph.weights)} weights for {len(graph.edges)} edges"
        return [*faults, Fault("weights", problem)]
    outside = np.any((graph.edges < 0) | (graph.edges >= graph.node_count), axis=1)
    loops = graph.edges[:, 0] == graph.edges[:, 1]
    unusable = ~(np.isfinite(graph.weights) & (graph.weights > 0))
    for wrong, problem in (
        (outside, "name a node that does not exist"),
        (loops, "are self-loops"),
        (unusable, "have a weight that is not positive and finite"),
    ):
        if wrong.any():
            faults.append(Fault("edges", f"positions {_positions(wrong)} {problem}"))
    return faults


def _feature_faults(graph: Graph) -> list[Fault]:
    if graph.features.ndim != 2 or len(graph.features) != graph.node_count:
        shape = graph.features.shape
        return [Fault("features", f"shape {shape}, expected ({graph.node_count}, Q)")]
    faults = []
    if len(graph.feature_names) != graph.features.shape[1]:
        problem = f"{len(graph.feature_names)} names for {graph.features.shape[1]} columns"
        faults.append(Fault("feature_names", problem))
    faults.extend(_repeated_names("feature_names", graph.feature_names))
    broken = ~np.isfinite(graph.features).all(axis=1)
    if broken.any():
        faults.append(Fault("features", f"rows {_positions(broken)} are not finite"))
    return faults


def _label_faults(graph: Graph) -> list[Fault]:
    if len(graph.labels) != graph.node_count:
        return [Fault("labels", f"{len(graph.labels)} labels for {graph.node_count} nodes")]
    faults = _repeated_names("class_names", graph.class_names)
    outside = (graph.labels < UNLABELLED) | (graph.labels >= len(graph.class_names))
    if outside.any():
        faults.append(Fault("labels", f"nodes {_positions(outside)} have a class without a name"))
    return faults


def _repeated_names(where: str, names: Sequence[str]) -> list[Fault]:
    if len(set(names)) == len(names):
        return []
    repeated = sorted({name for name in names if names.count(name) > 1})
    return [Fault(where, f"{', '.join(repeated)} given more than once")]
