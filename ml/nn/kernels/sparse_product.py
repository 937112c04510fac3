"""Product of a sparse matrix and a dense one, with a gradient for the dense one."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def multiply_rows(rows: Tensor, transpose: Callable[[], Tensor], dense: Tensor) -> Tensor:
    """Return ``rows @ dense`` for a matrix of compressed rows.

    ``transpose`` returns the transposed matrix, likewise in compressed rows; it is called in the
    backward pass only.

    Cost: forward and backward one product each; torch's own backward pass sorts the entries,
        which takes three times as long.
    Shapes: (N, Q), (Q, C) -> (N, C).
    """
    product: Tensor = _RowProduct.apply(dense, rows, transpose)  # type: ignore[no-untyped-call]  # torch
    return product


def multiply_rows_reference(rows: Tensor, dense: Tensor) -> Tensor:
    """Return what ``multiply_rows`` does, by dense matrices and torch's own gradient."""
    return rows.to_dense() @ dense


class _RowProduct(torch.autograd.Function):
    @staticmethod
    def forward(
        context: Any, dense: Tensor, rows: Tensor, transpose: Callable[[], Tensor]
    ) -> Tensor:
        context.transpose = transpose
        return rows @ dense

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        return context.transpose() @ gradients[0].contiguous(), None, None
