import torch

from ml.nn.kernels.gated_pooling import pool_gated, pool_gated_reference


def random_outputs(paths: int = 4) -> torch.Tensor:
    torch.manual_seed(0)
    return torch.randn(paths, 7, 5, dtype=torch.float64, requires_grad=True)


def test_gated_pooling_follows_the_formula() -> None:
    outputs, gate = random_outputs(), torch.randn(4, dtype=torch.float64)
    torch.testing.assert_close(pool_gated(outputs, gate), pool_gated_reference(outputs, gate))


def test_the_written_gradient_is_that_of_the_formula() -> None:
    gate = torch.randn(4, dtype=torch.float64, requires_grad=True)
    outputs = random_outputs()
    direction = torch.randn(7, 5, dtype=torch.float64)
    expected = torch.autograd.grad(pool_gated_reference(outputs, gate), (outputs, gate), direction)
    found = torch.autograd.grad(pool_gated(outputs, gate), (outputs, gate), direction)
    torch.testing.assert_close(found, expected)


def test_equal_paths_share_the_gradient_of_the_maximum() -> None:
    outputs = torch.zeros(4, 2, 3, dtype=torch.float64, requires_grad=True)
    gate = torch.ones(4, dtype=torch.float64)
    (found,) = torch.autograd.grad(pool_gated(outputs, gate).sum(), outputs)
    torch.testing.assert_close(found, torch.full_like(outputs, 0.25))


def test_a_closed_gate_averages_and_an_open_one_takes_the_maximum() -> None:
    outputs = random_outputs().detach().abs() + 1
    wide = torch.full((4,), 50.0, dtype=torch.float64)
    torch.testing.assert_close(pool_gated(outputs, wide), outputs.amax(0))
    torch.testing.assert_close(pool_gated(outputs, -wide), outputs.mean(0))
