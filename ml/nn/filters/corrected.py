"""The FGS filter of a censored graph in torch, as a correction of the whole graph's matrix."""

from threading import Lock
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from ml.arrays import FloatArray
from ml.graph.laplacian import degree_power
from ml.levy.corrected import CorrectedLevyOperator
from ml.levy.dense import DenseLevyOperator
from ml.levy.filter import filter_signal
from ml.nn.filters.base import LevyFilter, SelectedRows


class StoredWalk:
    """The walk matrix of the whole graph on the device.

    ``L^g = rising (I - Lt) falling`` with ``D^s`` and ``D^(1-s)``.
    Shapes: matrix (N, N), rising, falling (N,).
    """

    def __init__(self, whole: DenseLevyOperator, device: torch.device) -> None:
        self.device = device
        self.matrix = torch.from_numpy(whole.matrix).to(device, torch.float32)
        self.rows = SelectedRows(self.matrix)
        self.rising = degree_power(whole.diagonal(), whole.sigma)
        self.falling = degree_power(whole.diagonal(), 1 - whole.sigma)


_stored_walks: WeakKeyDictionary[DenseLevyOperator, StoredWalk] = WeakKeyDictionary()
_lock = Lock()


def stored_walk_of(whole: DenseLevyOperator, device: torch.device) -> StoredWalk:
    """Return the walk matrix on the device, one copy for all censored graphs of a whole one."""
    with _lock:
        walk = _stored_walks.get(whole)
        if walk is None or walk.device != device:
            walk = _stored_walks[whole] = StoredWalk(whole, device)
        return walk


class CorrectedFilter(LevyFilter):
    """The FGS filter of a censored graph.

    Equation: Eq. (filter_expansion) with ``Lt_c`` of ``CorrectedLevyOperator``; the gradient
        is the transposed filter.
    Deviation: the correction is computed in float64 and, like the matrix, applied in float32;
        a constant signal is filtered by the operator itself, in float64.
    Cost: as ``DenseFilter``, and O(N R C) for a correction of rank R.
    """

    def __init__(
        self, operator: CorrectedLevyOperator, walk: StoredWalk, alpha: float, order: int
    ) -> None:
        super().__init__()
        self._operator = operator
        self._walk = walk
        self._alpha = alpha
        self._order = order
        like = walk.matrix
        self._connected = _row(operator.connected, like)
        self._left = _row(operator.left, like)
        self._right = _row(operator.right, like)
        self._rising = _row(operator.left * walk.rising, like)
        self._falling = _row(walk.falling * operator.right, like)
        self._signs = _row(operator.signs, like)
        self._rows = _row(operator.rows, like)

    def filter_constant(self, signal: Tensor) -> Tensor:
        """Filter a signal in double precision by numpy. Shapes: (N, C) -> (N, C)."""
        values = signal.detach().cpu().double().numpy()
        filtered = filter_signal(self._operator, values, self._alpha, self._order)
        return torch.from_numpy(filtered).to(signal.device, signal.dtype)

    def compute(self, signal: Tensor, nodes: Tensor | None) -> Tensor:
        """Filter values without recording a gradient. Shapes: (N, C) -> (R, C)."""
        # Few long columns are multiplied much faster when each of them is contiguous.
        columns = signal.T.contiguous()
        total = columns if self._order else _at(columns, nodes)
        for step in range(self._order, 0, -1):
            wanted = nodes if step == 1 else None
            total = _at(columns, wanted) + self._alpha * self._step(total, wanted)
        return ((1 - self._alpha) * total).T

    def compute_back(self, gradient: Tensor, nodes: Tensor | None) -> Tensor:
        """Apply the transposed filter to a gradient at ``nodes``. Shapes: (R, C) -> (N, C)."""
        columns = gradient.T.contiguous()
        spread = columns
        if nodes is not None:
            spread = columns.new_zeros(len(columns), len(self._connected))
            spread[:, nodes] = columns
        total = spread
        for step in range(self._order):
            given = (columns, nodes) if step == 0 else (total, None)
            total = spread + self._alpha * self._step_back(*given)
        return ((1 - self._alpha) * total).T

    def _step(self, columns: Tensor, nodes: Tensor | None) -> Tensor:
        """Return ``Lt_c signal`` at some nodes. Shapes: (C, N) -> (C, R)."""
        fallen = self._falling * columns
        power = _at(fallen, nodes) - fallen @ self._walk.rows.at(nodes).T
        power *= _at(self._rising, nodes)
        inner = self._signs * ((self._right * columns) @ self._rows.T)
        power += _at(self._left, nodes) * (inner @ _at(self._rows, nodes))
        return _at(self._connected, nodes) * _at(columns, nodes) - power

    def _step_back(self, columns: Tensor, nodes: Tensor | None) -> Tensor:
        """Return ``Lt_c^T`` applied to a gradient at some nodes. Shapes: (C, R) -> (C, N)."""
        risen = _at(self._rising, nodes) * columns
        inner = self._signs * ((_at(self._left, nodes) * columns) @ _at(self._rows, nodes).T)
        moved = self._falling * (risen @ self._walk.rows.at(nodes))
        moved -= self._right * (inner @ self._rows)
        local = _at(self._connected, nodes) * columns - _at(self._falling, nodes) * risen
        if nodes is None:
            return moved + local
        return moved.index_add_(1, nodes, local)


def _row(values: FloatArray, like: Tensor) -> Tensor:
    return torch.from_numpy(values).to(like.device, like.dtype)


def _at(values: Tensor, nodes: Tensor | None) -> Tensor:
    """Return the values of some nodes, which are the last dimension."""
    return values if nodes is None else values[..., nodes]
