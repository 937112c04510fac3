"""Which implementation of the Lévy operator suits a graph, and why."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ml.arrays import SparseMatrix
from ml.config.settings import OperatorKind

if TYPE_CHECKING:
    from ml.levy.solver.ordering import Ordering

SMALL_NODES = 600
"""Up to here the spectrum of the whole graph is found in an instant."""
MATRIX_NODES = 3500
"""Up to here one product with a full matrix is faster than a dozen sparse solves."""
_POLES = 16

Kind = Literal["dense", "corrected", "sparse", "ordinary"]


@dataclass(frozen=True, eq=False)
class OperatorChoice:
    """An implementation and the reason for it; the order of elimination if one was found.

    ``dense`` is a full matrix, ``corrected`` a full matrix with low-rank corrections for
    censored graphs, ``sparse`` a sum of sparse solves, ``ordinary`` the walk of gamma = 1.
    """

    kind: Kind
    reason: str
    ordering: "Ordering | None" = None


def choose_operator(adjacency: SparseMatrix, gamma: float, kind: OperatorKind) -> OperatorChoice:
    """Choose by size and by how much the factors of the graph fill in.

    Cost: nothing for small graphs, else one minimum-degree ordering.
    """
    count = adjacency.shape[0]
    if kind == "dense":
        return OperatorChoice("dense", "a full matrix, by setting")
    if adjacency.nnz == 0:
        return OperatorChoice("ordinary", "the graph has no edges")
    small = kind == "auto" and count <= SMALL_NODES
    if gamma == 1 and not small:
        return OperatorChoice("ordinary", "gamma is 1: the walk is as sparse as the graph")
    if small:
        fitting: Kind = "dense" if gamma == 1 else "corrected"
        return OperatorChoice(fitting, f"{count:,} nodes are few enough for a full matrix")
    if kind == "sparse":
        return OperatorChoice("sparse", "sparse factors, by setting")
    return _choose_by_fill(adjacency)


def _choose_by_fill(adjacency: SparseMatrix) -> OperatorChoice:
    from ml.levy.solver.ordering import order_nodes

    count = adjacency.shape[0]
    ordering = order_nodes(adjacency)
    fill = ordering.fill
    shape = f"{count:,} nodes, {fill.entries / count:.1f} factor entries a node"
    if fill.core:
        shape += f" around a core of {fill.core:,}"
    if _POLES * fill.stored > count**2:
        return OperatorChoice("dense", f"{shape}: sparse factors would be larger than the matrix")
    if count <= MATRIX_NODES:
        return OperatorChoice("corrected", f"{shape}: a full matrix is applied faster", ordering)
    return OperatorChoice("sparse", f"{shape}: sparse factors are smaller and faster", ordering)
