"""The FGS filter of an ordinary walk by sparse products in torch, on any device."""

import torch
from torch import Tensor

from ml.levy.filter import check_filter
from ml.levy.ordinary import OrdinaryWalkOperator
from ml.nn.filters.base import WholeGraphFilter
from ml.nn.sparse import from_scipy


class WalkFilter(WholeGraphFilter):
    """The FGS filter with ``gamma = 1``.

    Equation: Eq. (filter_expansion), the recurrence ``X'_i = X + a Lt X'_(i-1)``; the
        gradient is the transposed filter.
    Deviation: the matrix is computed in float64 and, like every signal, applied in float32:
        each of the ``order`` steps shrinks the rounding of the ones before it.
    Cost: ``order`` times O(edges C) forward and as much backward.
    """

    def __init__(
        self, operator: OrdinaryWalkOperator, alpha: float, order: int, device: torch.device
    ) -> None:
        super().__init__()
        check_filter(alpha, order)
        self._alpha = alpha
        self._order = order
        self._matrix = from_scipy(operator.matrix, device)
        self._transposed = from_scipy(operator.transposed, device)

    @property
    def node_count(self) -> int:
        """Number of nodes that the filter acts on."""
        return len(self._matrix)

    def filter_values(self, signal: Tensor, *, transposed: bool) -> Tensor:
        """Filter at all nodes, transposed for the backward pass. Shapes: (N, C) -> (N, C)."""
        matrix = self._transposed if transposed else self._matrix
        total = signal = signal.contiguous()
        for _ in range(self._order):
            total = torch.addmm(signal, matrix, total, alpha=self._alpha)
        return total * (1 - self._alpha)
