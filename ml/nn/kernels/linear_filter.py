"""Application of a linear filter whose gradient is the transposed filter."""

from typing import Any, Protocol

import torch
from torch import Tensor


class LinearFilter(Protocol):
    """A linear map of signals on a graph and its transpose, both without a recorded gradient."""

    def compute(self, signal: Tensor, nodes: Tensor | None) -> Tensor:
        """Return the filtered signal at ``nodes``, all if None. Shapes: (N, C) -> (R, C)."""

    def compute_back(self, gradient: Tensor, nodes: Tensor | None) -> Tensor:
        """Return the transposed filter of a gradient at ``nodes``. Shapes: (R, C) -> (N, C)."""


def apply_filter(linear: LinearFilter, signal: Tensor, nodes: Tensor | None) -> Tensor:
    """Filter a signal and record the transposed filter as its gradient.

    Shapes: (N, C) -> (N, C), or (R, C) at R chosen nodes.
    """
    filtered: Tensor = _Filtering.apply(signal, linear, nodes)  # type: ignore[no-untyped-call]  # torch
    return filtered


def apply_filter_reference(linear: LinearFilter, signal: Tensor, nodes: Tensor | None) -> Tensor:
    """Return what ``apply_filter`` does, by the full matrix of the filter.

    Cost: O(N^2) memory.
    """
    matrix = linear.compute(torch.eye(len(signal), dtype=signal.dtype, device=signal.device), None)
    filtered = matrix @ signal
    return filtered if nodes is None else filtered[nodes]


class _Filtering(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, signal: Tensor, linear: LinearFilter, nodes: Tensor | None) -> Tensor:
        context.linear = linear
        context.nodes = nodes
        return linear.compute(signal, nodes)

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        return context.linear.compute_back(gradients[0], context.nodes), None, None
