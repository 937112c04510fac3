"""Pooling of parallel paths: maximum, average, and gates between the two."""

import torch
from torch import Tensor, nn

from ml.config.settings import Gate, Pooling
from ml.nn.kernels.gated_pooling import pool_gated


class BranchPooling(nn.Module):
    """Merges the outputs of the parallel paths.

    Equation: Sec. III-B "Pooling layer", ``s(W^T X) max(X) + (1 - s(W^T X)) avg(X)`` for
        ``gated``; ``mixed`` has one learned share in place of ``s(W^T X)``.
    Deviation: the paper leaves the shape of the gate open. ``branch`` is that of its source
        (Lee et al. 2016): one weight per path, shared by all nodes and columns; ``channel``
        has one per path and column. Gates start at zero: half maximum, half average.
    Shapes: (n, N, F) -> (N, F).
    """

    def __init__(self, branches: int, columns: int, pooling: Pooling, gate: Gate) -> None:
        super().__init__()
        self._pooling = pooling
        self.gate: nn.Parameter | None = None
        if pooling == "mixed":
            self.gate = nn.Parameter(torch.zeros(()))
        elif pooling == "gated":
            shape = (branches,) if gate == "branch" else (branches, 1, columns)
            self.gate = nn.Parameter(torch.zeros(shape))

    def forward(self, outputs: Tensor) -> Tensor:
        """Return the pooled matrix."""
        if self._pooling == "max":
            return outputs.amax(0)
        if self.gate is None:
            return outputs.mean(0)
        if self.gate.ndim == 1:
            return pool_gated(outputs, self.gate)
        opening = self.gate if self.gate.ndim == 0 else (self.gate * outputs).sum(0)
        return torch.lerp(outputs.mean(0), outputs.amax(0), torch.sigmoid(opening))
