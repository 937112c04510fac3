"""The filter of a censored graph inside torch, beside the full matrix of the whole one."""

from typing import Any

import torch
from torch import Tensor

from ml.arrays import FloatArray
from ml.graph.laplacian import degree_power
from ml.levy.corrected import CorrectedLevyOperator
from ml.levy.dense import DenseLevyOperator
from ml.levy.filter import filter_signal


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

    keeps_constants = False

    def __init__(
        self, operator: CorrectedLevyOperator, walk: StoredWalk, alpha: float, order: int
    ) -> None:
        self._operator = operator
        self._walk = walk
        self._alpha = alpha
        self._order = order
        self._constant: tuple[Tensor, Tensor] | None = None
        like = walk.matrix
        self._kept = _row(operator.kept, like)
        self._left = _row(operator.left, like)
        self._right = _row(operator.right, like)
        self._rising = _row(operator.left * walk.rising, like)
        self._falling = _row(walk.falling * operator.right, like)
        self._signs = _row(operator.signs, like)
        self._rows = _row(operator.rows, like)

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
        # Few long columns are multiplied much faster when each of them is contiguous.
        columns = signal.T.contiguous()
        total = columns if self._order else _at(columns, nodes)
        for step in range(self._order, 0, -1):
            wanted = nodes if step == 1 else None
            total = _at(columns, wanted) + self._alpha * self._step(total, wanted)
        return ((1 - self._alpha) * total).T

    def compute_back(self, gradient: Tensor, nodes: Tensor | None) -> Tensor:
        """Apply the transposed filter to a gradient at some nodes."""
        columns = gradient.T.contiguous()
        spread = columns
        if nodes is not None:
            spread = columns.new_zeros(len(columns), len(self._kept))
            spread[:, nodes] = columns
        total = spread
        for step in range(self._order):
            given = (columns, nodes) if step == 0 else (total, None)
            total = spread + self._alpha * self._step_back(*given)
        return ((1 - self._alpha) * total).T

    def _step(self, columns: Tensor, nodes: Tensor | None) -> Tensor:
        """Return ``Lt_c signal`` at some nodes. Shapes: (C, N) -> (C, R)."""
        fallen = self._falling * columns
        power = _at(fallen, nodes) - fallen @ self._walk.rows(nodes).T
        power *= _at(self._rising, nodes)
        inner = self._signs * ((self._right * columns) @ self._rows.T)
        power += _at(self._left, nodes) * (inner @ _at(self._rows, nodes))
        return _at(self._kept, nodes) * _at(columns, nodes) - power

    def _step_back(self, columns: Tensor, nodes: Tensor | None) -> Tensor:
        """Return ``Lt_c^T`` applied to a gradient at some nodes. Shapes: (C, R) -> (C, N)."""
        risen = _at(self._rising, nodes) * columns
        inner = self._signs * ((_at(self._left, nodes) * columns) @ _at(self._rows, nodes).T)
        moved = self._falling * (risen @ self._walk.rows(nodes))
        moved -= self._right * (inner @ self._rows)
        local = _at(self._kept, nodes) * columns - _at(self._falling, nodes) * risen
        if nodes is None:
            return moved + local
        return moved.index_add_(1, nodes, local)


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


def _row(values: FloatArray, like: Tensor) -> Tensor:
    return torch.from_numpy(values).to(like.device, like.dtype)


def _at(values: Tensor, nodes: Tensor | None) -> Tensor:
    """Return values at some nodes, the last dimension."""
    return values if nodes is None else values[..., nodes]
