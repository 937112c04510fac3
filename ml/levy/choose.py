"""The choice between the implementations of the Lévy operator, with its reason."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ml.arrays import SparseMatrix
from ml.config.settings import OperatorKind
from ml.levy.limits import FACTORED_SYSTEMS, MATRIX_NODES, SPECTRUM_NODES

if TYPE_CHECKING:
    from ml.levy.solver.ordering import Ordering

Kind = Literal["dense", "corrected", "sparse", "ordinary"]


@dataclass(frozen=True, eq=False)
class OperatorChoice:
    """An implementation, the reason for it, and the order of elimination if it was computed.

    ``dense`` is a full matrix, ``corrected`` a full matrix with low-rank corrections for
    censored graphs, ``sparse`` a sum of sparse solves, ``ordinary`` the walk of gamma = 1.
    """

    kind: Kind
    reason: str
    ordering: "Ordering | None" = None


def choose_operator(adjacency: SparseMatrix, gamma: float, kind: OperatorKind) -> OperatorChoice:
    """Choose by the number of nodes and by how much the factors of the graph fill in.

    Cost: none for small graphs, else one minimum-degree ordering.
    """
    count = adjacency.shape[0]
    if kind == "dense":
        return OperatorChoice("dense", "a full matrix, by setting")
    if adjacency.nnz == 0:
        return OperatorChoice("ordinary", "the graph has no edges")
    small = kind == "auto" and count <= SPECTRUM_NODES
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
    shape = f"{count:,} nodes, {fill.entries / count:.1f} factor entries per node"
    if fill.core:
        shape += f" around a core of {fill.core:,}"
    if FACTORED_SYSTEMS * fill.stored > count**2:
        return OperatorChoice("dense", f"{shape}: sparse factors would be larger than the matrix")
    if count <= MATRIX_NODES:
        return OperatorChoice("corrected", f"{shape}: a full matrix is applied faster", ordering)
    return OperatorChoice("sparse", f"{shape}: sparse factors are smaller and faster", ordering)
