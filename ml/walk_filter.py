"""The filter of an ordinary walk inside torch: sparse products, on whatever device."""

from typing import Any

import torch
from torch import Tensor

from ml.feature_matrix import densify
from ml.levy.filter import check_filter
from ml.levy.ordinary import OrdinaryWalkOperator
from ml.sparse_rows import from_scipy


class WalkFilter:
    """The FGS filter with ``gamma = 1``.

    Equation: Eq. (filter_expansion), the recurrence ``X'_i = X + a Lt X'_(i-1)``; the
        gradient is the transposed filter.
    Deviation: the matrix is computed in float64 and, like every signal, applied in float32:
        each of the ``order`` steps shrinks what the ones before it rounded.
    Cost: ``order`` times O(edges C) forward and as much backward.
    """

    keeps_constants = False

    def __init__(
        self, operator: OrdinaryWalkOperator, alpha: float, order: int, device: torch.device
    ) -> None:
        check_filter(alpha, order)
        self._alpha = alpha
        self._order = order
        self._matrix = from_scipy(operator.matrix, device)
        self._transposed = from_scipy(operator.transposed, device)
        self._constant: tuple[Tensor, Tensor] | None = None

    def apply(self, signal: Tensor) -> Tensor:
        """Return the filtered signal. Shapes: (N, C) -> (N, C)."""
        filtered: Tensor = _Filtering.apply(signal, self)  # type: ignore[no-untyped-call]  # torch
        return filtered

    def apply_at(self, signal: Tensor, nodes: Tensor) -> Tensor:
        """Return the filtered signal at some nodes only. Shapes: (N, C), (R,) -> (R, C)."""
        return self.apply(signal)[nodes]

    def apply_to_constant(self, signal: Tensor) -> Tensor:
        """Filter a signal that is the same at every call, once. Shapes: (N, C) -> (N, C)."""
        if self._constant is None or self._constant[0] is not signal:
            self._constant = (signal, self.apply(densify(signal)))
        return self._constant[1]

    def compute(self, signal: Tensor, *, transposed: bool) -> Tensor:
        """Filter values without recording a gradient; transposed for the backward pass."""
        matrix = self._transposed if transposed else self._matrix
        total = signal = signal.contiguous()
        for _ in range(self._order):
            total = torch.addmm(signal, matrix, total, alpha=self._alpha)
        return total * (1 - self._alpha)


class _Filtering(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, signal: Tensor, levy_filter: WalkFilter) -> Tensor:
        context.levy_filter = levy_filter
        return levy_filter.compute(signal, transposed=False)

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return context.levy_filter.compute(gradients[0], transposed=True), None
