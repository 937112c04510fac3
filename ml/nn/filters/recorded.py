"""What every filter that is no matrix shares: a gradient that is the transposed filter."""

from abc import ABC, abstractmethod
from typing import Any

import torch
from torch import Tensor

from ml.nn.feature_matrix import densify


class RecordedFilter(ABC):
    """A filter that says how values are filtered, forward and transposed."""

    def __init__(self, *, keeps_constants: bool = False) -> None:
        self.keeps_constants = keeps_constants
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

    @abstractmethod
    def compute(self, signal: Tensor, *, transposed: bool) -> Tensor:
        """Filter values without recording a gradient; transposed for the backward pass."""


class _Filtering(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, signal: Tensor, levy_filter: RecordedFilter) -> Tensor:
        context.levy_filter = levy_filter
        return levy_filter.compute(signal, transposed=False)

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return context.levy_filter.compute(gradients[0], transposed=True), None
