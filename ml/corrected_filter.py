"""The filter of a censored graph inside torch, beside the full matrix of the whole one."""

from typing import Any

import torch
from torch import Tensor

from ml.arrays import FloatArray
from ml.levy.corrected import CorrectedLevyOperator
from ml.levy.dense import DenseLevyOperator
from ml.levy.filter import filter_signal
from ml.levy.laplacian import degree_power


class StoredWalk:
    """The walk matrix of the whole graph on the device, and the rows of nodes asked for.

    ``L^g = rising (I - Lt) falling`` with ``D^s`` and ``D^(1-s)``.
    Shapes: matrix (N, N), rising, falling (N,).
    """

    def __init__(self, whole: DenseLevyOperator, device: torch.device) -> None:
        self.matrix = torch.from_numpy(whole.matrix).to(device, torch.float32)
        self.rising = degree_power(whole.diagonal(), whole.sigma)
        self.falling = degree_power(whole.diagonal(), 1 - whole.sigma)
        self._rows: dict[int, tuple[Tensor, Tensor]] = {}

    def rows(self, nodes: Tensor | None) -> Tensor:
        """Return the rows of some nodes, all if None; kept, because training repeats itself."""
        if nodes is None:
            return self.matrix
        known = self._rows.get(id(nodes))
        if known is None:
            # The tensor is kept beside its rows, so that its id cannot be given away.
            known = self._rows[id(nodes)] = (nodes, self.matrix[nodes])
        return known[1]


class CorrectedFilter:
    """The FGS filter of a censored graph.

    Equation: Eq. (filter_expansion) with ``Lt_c`` of ``CorrectedLevyOperator``; the gradient
        is the transposed filter.
    Deviation: the correction is computed in float64 and, like the matrix, applied in float32;
        a signal that stays the same goes through the operator itself, in float64.
    Cost: as ``DenseFilter``, and O(N R C) for a correction of rank R.
    """

    def __init__(
        self, operator: CorrectedLevyOperator, walk: StoredWalk, alpha: float, order: int
    ) -> None:
        self._operator = operator
        self._walk = walk
        self._alpha = alpha
        self._order = order
        self._constant: tuple[Tensor, Tensor] | None = None
        like = walk.matrix
        self._kept = _column(operator.kept, like)
        self._left = _column(operator.left, like)
        self._right = _column(operator.right, like)
        self._rising = _column(operator.left * walk.rising, like)
        self._falling = _column(walk.falling * operator.right, like)
        self._signs = _column(operator.signs, like)
        self._rows = torch.from_numpy(operator.rows).to(like.device, like.dtype)

    def apply(self, signal: Tensor) -> Tensor:
        """Return the filtered signal. Shapes: (N, C) -> (N, C)."""
        return self._record(signal, None)

    def apply_at(self, signal: Tensor, nodes: Tensor) -> Tensor:
        """Return the filtered signal at some nodes only. Shapes: (N, C), (R,) -> (R, C)."""
        return self._record(signal, nodes)

    def apply_to_constant(self, signal: Tensor) -> Tensor:
        """Filter a signal that is the same at every call, once. Shapes: (N, C) -> (N, C)."""
        if self._constant is None or self._constant[0] is not signal:
            values = signal.detach().cpu().double().numpy()
            filtered = filter_signal(self._operator, values, self._alpha, self._order)
            self._constant = (signal, torch.from_numpy(filtered).to(signal.device, signal.dtype))
        return self._constant[1]

    def _record(self, signal: Tensor, nodes: Tensor | None) -> Tensor:
        filtered: Tensor = _Filtering.apply(signal, self, nodes)  # type: ignore[no-untyped-call]  # torch
        return filtered

    def compute(self, signal: Tensor, nodes: Tensor | None) -> Tensor:
        """Filter values without recording a gradient."""
        total = signal if self._order else _at(signal, nodes)
        for step in range(self._order, 0, -1):
            wanted = nodes if step == 1 else None
            total = _at(signal, wanted) + self._alpha * self._step(total, wanted)
        return (1 - self._alpha) * total

    def compute_back(self, gradient: Tensor, nodes: Tensor | None) -> Tensor:
        """Apply the transposed filter to a gradient at some nodes."""
        spread = gradient
        if nodes is not None:
            spread = gradient.new_zeros(len(self._kept), gradient.shape[1])
            spread[nodes] = gradient
        total = spread
        for step in range(self._order):
            given = (gradient, nodes) if step == 0 else (total, None)
            total = spread + self._alpha * self._step_back(*given)
        return (1 - self._alpha) * total

    def _step(self, signal: Tensor, nodes: Tensor | None) -> Tensor:
        """Return ``Lt_c signal`` at some nodes."""
        fallen = self._falling * signal
        moved = _at(fallen, nodes) - self._walk.rows(nodes) @ fallen.T.contiguous().T
        inner = self._signs * (self._rows @ (self._right * signal))
        power = _at(self._rising, nodes) * moved
        power += _at(self._left, nodes) * (_rows_at(self._rows, nodes).T @ inner)
        return _at(self._kept, nodes) * _at(signal, nodes) - power

    def _step_back(self, gradient: Tensor, nodes: Tensor | None) -> Tensor:
        """Return ``Lt_c^T`` applied to a gradient that is zero away from some nodes."""
        risen = _at(self._rising, nodes) * gradient
        inner = self._signs * (_rows_at(self._rows, nodes) @ (_at(self._left, nodes) * gradient))
        moved = self._falling * (risen.T @ self._walk.rows(nodes)).T
        moved -= self._right * (self._rows.T @ inner)
        local = _at(self._kept, nodes) * gradient - _at(self._falling, nodes) * risen
        if nodes is None:
            return moved + local
        return moved.index_add_(0, nodes, local)


class _Filtering(torch.autograd.Function):
    @staticmethod
    def forward(
        context: Any, signal: Tensor, levy_filter: CorrectedFilter, nodes: Tensor | None
    ) -> Tensor:
        context.levy_filter = levy_filter
        context.nodes = nodes
        return levy_filter.compute(signal, nodes)

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        return context.levy_filter.compute_back(gradients[0], context.nodes), None, None


def _column(values: FloatArray, like: Tensor) -> Tensor:
    return torch.from_numpy(values).to(like.device, like.dtype)[:, None]


def _at(values: Tensor, nodes: Tensor | None) -> Tensor:
    return values if nodes is None else values[nodes]


def _rows_at(values: Tensor, nodes: Tensor | None) -> Tensor:
    return values if nodes is None else values[:, nodes]
