"""Gated max-average pooling of parallel paths as one operation."""

from typing import Any

import torch
from torch import Tensor


def pool_gated(outputs: Tensor, gate: Tensor) -> Tensor:
    """Pool with one gate weight per parallel path.

    Equation: Sec. III-B "Pooling layer", elementwise ``s max(X) + (1 - s) avg(X)`` with
        ``s = sigmoid(sum_b w_b X_b)``.
    Deviation: the gradient is written out, because torch's own passes over the (n, N, F)
        array five times as often; where paths are equal, they share the maximum's gradient.
    Shapes: (n, N, F), (n,) -> (N, F).
    """
    pooled: Tensor = _GatedPooling.apply(outputs, gate)  # type: ignore[no-untyped-call]  # torch
    return pooled


def pool_gated_reference(outputs: Tensor, gate: Tensor) -> Tensor:
    """Return what ``pool_gated`` does, differentiated by torch."""
    share = torch.sigmoid((gate[:, None, None] * outputs).sum(0))
    return share * outputs.amax(0) + (1 - share) * outputs.mean(0)


class _GatedPooling(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, outputs: Tensor, gate: Tensor) -> Tensor:
        paths = len(outputs)
        mixing = torch.stack([gate, torch.full_like(gate, 1 / paths)])
        mixed = torch.mm(mixing, outputs.reshape(paths, -1))
        opening, average = mixed.view(2, *outputs.shape[1:])
        share = torch.sigmoid(opening)
        maximum = outputs.amax(0)
        context.save_for_backward(outputs, mixing, share, maximum, average)
        return torch.lerp(average, maximum, share)

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, Tensor]:
        outputs, mixing, share, maximum, average = context.saved_tensors
        paths = len(outputs)
        to_maximum = gradients[0] * share
        to_mixed = share.new_empty(2, *share.shape)
        torch.sub(gradients[0], to_maximum, out=to_mixed[1])
        torch.mul(to_mixed[1], share, out=to_mixed[0]).mul_(maximum - average)
        flat = to_mixed.view(2, -1)
        to_gate = torch.mv(outputs.reshape(paths, -1), flat[0])
        to_outputs = torch.mm(mixing.T, flat).view_as(outputs)
        # Comparing into floats is several times faster than making booleans first.
        hits = torch.eq(outputs, maximum, out=torch.empty_like(to_outputs))
        return to_outputs.addcmul_(hits, to_maximum / hits.sum(0)), to_gate
