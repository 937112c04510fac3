"""The Lévy filter inside torch: a matrix where one fits, solves with a gradient elsewhere."""

from typing import Any

import torch
from torch import Tensor

from ml.arrays import FloatArray
from ml.config.settings import FilterMethod
from ml.levy.filter import filter_signal, filter_transposed
from ml.levy.interface import LevyOperator
from ml.nn.filters.corrected import CorrectedFilter
from ml.nn.filters.recorded import RecordedFilter
from ml.nn.filters.walk import WalkFilter


class DenseFilter:
    """The FGS filter as one precomputed matrix.

    Equation: Eq. (Taylor), ``g = (1 - a) sum_i (a Lt)^i``.
    Deviation: computed in float64, applied in float32.
    Cost: O(N^2) memory, O(N^2 C) a call; O(R N C) where only R nodes are asked for.
    """

    keeps_constants = False

    def __init__(self, matrix: FloatArray, device: torch.device) -> None:
        self._matrix = torch.from_numpy(matrix).to(device, torch.float32)
        self._rows: dict[int, tuple[Tensor, Tensor]] = {}
        self._constant: tuple[Tensor, Tensor] | None = None

    def apply(self, signal: Tensor) -> Tensor:
        """Return the filtered signal. Shapes: (N, C) -> (N, C)."""
        return _multiply(self._matrix, signal)

    def apply_at(self, signal: Tensor, nodes: Tensor) -> Tensor:
        """Return the filtered signal at some nodes only. Shapes: (N, C), (R,) -> (R, C)."""
        known = self._rows.get(id(nodes))
        if known is None:
            # The tensor is kept beside its rows, so that its id cannot be given away.
            known = self._rows[id(nodes)] = (nodes, self._matrix[nodes])
        return _multiply(known[1], signal)

    def apply_to_constant(self, signal: Tensor) -> Tensor:
        """Filter a signal that is the same at every call, once. Shapes: (N, C) -> (N, C)."""
        if self._constant is None or self._constant[0] is not signal:
            self._constant = (signal, self.apply(signal))
        return self._constant[1]


def _multiply(matrix: Tensor, signal: Tensor) -> Tensor:
    product: Tensor = _Product.apply(signal, matrix)  # type: ignore[no-untyped-call]  # torch
    return product


class _Product(torch.autograd.Function):
    """A large matrix times few columns, stored one by one: up to three times faster."""

    @staticmethod
    def forward(context: Any, signal: Tensor, matrix: Tensor) -> Tensor:
        context.matrix = matrix
        return matrix @ signal.T.contiguous().T

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return (gradients[0].T @ context.matrix).T, None


class OperatorFilter(RecordedFilter):
    """The FGS filter through an operator that only knows how to act on signals.

    Equation: Eq. (filter_expansion), the recurrence ``X'_i = X + a Lt X'_(i-1)``; the
        gradient is the transposed filter.
    Deviation: float64 inside, float32 outside; on a GPU the signal travels to the host.
    Cost: ``order`` applications of the operator forward and as many backward. With
        ``keeps_constants`` a signal that stays the same is better filtered once, however wide.
    """

    def __init__(
        self,
        operator: LevyOperator,
        alpha: float,
        order: int | None,
        method: FilterMethod,
        *,
        keeps_constants: bool = False,
    ) -> None:
        super().__init__(keeps_constants=keeps_constants)
        self._operator = operator
        self._alpha = alpha
        self._order = order
        self._method = method

    def compute(self, signal: Tensor, *, transposed: bool) -> Tensor:
        """Filter values without recording a gradient; transposed for the backward pass."""
        act = filter_transposed if transposed else filter_signal
        values = signal.detach().cpu().double().numpy()
        filtered = act(self._operator, values, self._alpha, self._order, self._method)
        return torch.from_numpy(filtered).to(signal.device, signal.dtype)


LevyFilter = DenseFilter | CorrectedFilter | WalkFilter | OperatorFilter
