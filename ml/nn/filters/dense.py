"""The FGS filter as one matrix in torch."""

import torch
from torch import Tensor

from ml.arrays import FloatArray
from ml.nn.filters.base import LevyFilter, SelectedRows


class DenseFilter(LevyFilter):
    """The FGS filter as one precomputed matrix.

    Equation: Eq. (Taylor), ``g = (1 - a) sum_i (a Lt)^i``.
    Deviation: computed in float64, applied in float32. The columns of a signal are stored one
        by one first, which multiplies a large matrix and few columns up to three times faster.
    Cost: O(N^2) memory, O(N^2 C) per call; O(R N C) at R chosen nodes.
    """

    def __init__(self, matrix: FloatArray, device: torch.device) -> None:
        super().__init__()
        self._rows = SelectedRows(torch.from_numpy(matrix).to(device, torch.float32))

    def compute(self, signal: Tensor, nodes: Tensor | None) -> Tensor:
        """Filter values without recording a gradient. Shapes: (N, C) -> (R, C)."""
        return self._rows.at(nodes) @ signal.T.contiguous().T

    def compute_back(self, gradient: Tensor, nodes: Tensor | None) -> Tensor:
        """Apply the transposed filter to a gradient at ``nodes``. Shapes: (R, C) -> (N, C)."""
        return (gradient.T @ self._rows.at(nodes)).T
