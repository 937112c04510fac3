"""Merging parallel branches: maximum, average, and the gates between the two."""

from typing import Any

import torch
from torch import Tensor, nn

from ml.config.settings import Gate, Pooling


class BranchPooling(nn.Module):
    """Merge the outputs of the parallel branches.

    Equation: Sec. III-B "Pooling layer", ``s(W^T X) max(X) + (1 - s(W^T X)) avg(X)`` for
        ``gated``; ``mixed`` has one learned share in place of ``s(W^T X)``.
    Deviation: the paper leaves the shape of the gate open. ``branch`` is that of its source
        (Lee et al. 2016): one weight a branch, shared by all nodes and columns; ``channel``
        has one a branch and column. Gates start at zero: half maximum, half average.
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


def pool_gated(outputs: Tensor, gate: Tensor) -> Tensor:
    """Pool with one gate weight a branch.

    Equation: as ``BranchPooling``, elementwise ``s = sigmoid(sum_b w_b X_b)``.
    Deviation: the gradient is written out, because torch's own walks over the (n, N, F)
        array five times as often; where branches are equal, the maximum's is shared.
    Shapes: (n, N, F), (n,) -> (N, F).
    """
    pooled: Tensor = _GatedPooling.apply(outputs, gate)  # type: ignore[no-untyped-call]  # torch
    return pooled


class _GatedPooling(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, outputs: Tensor, gate: Tensor) -> Tensor:
        branches = len(outputs)
        mixing = torch.stack([gate, torch.full_like(gate, 1 / branches)])
        mixed = torch.mm(mixing, outputs.reshape(branches, -1))
        opening, average = mixed.view(2, *outputs.shape[1:])
        share = torch.sigmoid(opening)
        maximum = outputs.amax(0)
        context.save_for_backward(outputs, mixing, share, maximum, average)
        return torch.lerp(average, maximum, share)

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, Tensor]:
        outputs, mixing, share, maximum, average = context.saved_tensors
        branches = len(outputs)
        to_maximum = gradients[0] * share
        to_mixed = share.new_empty(2, *share.shape)
        torch.sub(gradients[0], to_maximum, out=to_mixed[1])
        torch.mul(to_mixed[1], share, out=to_mixed[0]).mul_(maximum - average)
        flat = to_mixed.view(2, -1)
        to_gate = torch.mv(outputs.reshape(branches, -1), flat[0])
        to_outputs = torch.mm(mixing.T, flat).view_as(outputs)
        # Comparing into floats is several times faster than making booleans first.
        hits = torch.eq(outputs, maximum, out=torch.empty_like(to_outputs))
        return to_outputs.addcmul_(hits, to_maximum / hits.sum(0)), to_gate
