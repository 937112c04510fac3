"""Which implementation of the Lévy operator suits a graph, and why."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ml.arrays import SparseMatrix
from ml.config import OperatorKind

if TYPE_CHECKING:
    from ml.levy.elimination import Ordering

DENSE_NODES = 600
"""Up to here one product with a full matrix is faster than a dozen sparse solves."""
_POLES = 16
_DENSE_BYTES = 8 * 4
_SPARSE_BYTES = 8 * 5

Kind = Literal["dense", "sparse", "ordinary"]


@dataclass(frozen=True, eq=False)
class OperatorChoice:
    """An implementation and the reason for it; the order of elimination if one was found."""

    kind: Kind
    reason: str
    ordering: "Ordering | None" = None


def choose_operator(adjacency: SparseMatrix, gamma: float, kind: OperatorKind) -> OperatorChoice:
    """Choose by size and by how much the factors of the graph fill in.

    Cost: nothing for small graphs, else one minimum-degree ordering.
    """
    count = adjacency.shape[0]
    if kind == "dense":
        return OperatorChoice("dense", "dense by setting")
    if (gamma == 1 and (kind == "sparse" or count > DENSE_NODES)) or adjacency.nnz == 0:
        return OperatorChoice("ordinary", "gamma is 1: the walk is as sparse as the graph")
    if kind == "sparse":
        return OperatorChoice("sparse", "sparse by setting")
    if count <= DENSE_NODES:
        reason = f"dense: {count:,} nodes are few enough for a full matrix"
        return OperatorChoice("dense", reason)
    return _choose_by_fill(adjacency)


def _choose_by_fill(adjacency: SparseMatrix) -> OperatorChoice:
    from ml.levy.elimination import order_nodes

    count = adjacency.shape[0]
    ordering = order_nodes(adjacency)
    entries = ordering.fill.entries
    shape = f"{entries / count:.1f} factor entries a node"
    if entries * _POLES * _SPARSE_BYTES < count**2 * _DENSE_BYTES:
        return OperatorChoice("sparse", f"sparse: {count:,} nodes, {shape}", ordering)
    return OperatorChoice("dense", f"dense: {shape} are too many for {count:,} nodes")
