import pytest
import torch
from torch import Tensor

from ml.nn.kernels.linear_filter import apply_filter, apply_filter_reference


class MatrixFilter:
    """A full matrix that is applied without a gradient."""

    def __init__(self, matrix: Tensor) -> None:
        self.matrix = matrix

    def compute(self, signal: Tensor, nodes: Tensor | None) -> Tensor:
        filtered = self.matrix @ signal
        return filtered if nodes is None else filtered[nodes]

    def compute_back(self, gradient: Tensor, nodes: Tensor | None) -> Tensor:
        rows = self.matrix if nodes is None else self.matrix[nodes]
        return rows.T @ gradient


@pytest.mark.parametrize("nodes", [None, torch.tensor([4, 0, 7])])
def test_values_and_gradient_are_those_of_the_reference(nodes: Tensor | None) -> None:
    torch.manual_seed(0)
    linear = MatrixFilter(torch.randn(8, 8, dtype=torch.float64))
    signal = torch.randn(8, 3, dtype=torch.float64, requires_grad=True)
    results = [apply(linear, signal, nodes) for apply in (apply_filter, apply_filter_reference)]
    torch.testing.assert_close(*results)
    direction = torch.randn_like(results[0])
    torch.testing.assert_close(
        *(torch.autograd.grad(result, signal, direction) for result in results)
    )
