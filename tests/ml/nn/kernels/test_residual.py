import torch

from ml.nn.kernels.residual import join_residual, join_residual_reference


def random_inputs() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    pooled, skipped = torch.randn(2, 40, 6, dtype=torch.float64, generator=generator)
    return pooled.requires_grad_(), skipped.requires_grad_()


def test_the_joined_values_are_those_of_the_reference() -> None:
    inputs = random_inputs()
    torch.testing.assert_close(join_residual(*inputs), join_residual_reference(*inputs))


def test_the_gradients_are_those_of_the_reference() -> None:
    inputs = random_inputs()
    direction = torch.randn(40, 6, dtype=torch.float64)
    written, expected = (
        torch.autograd.grad(join(*inputs), inputs, direction)
        for join in (join_residual, join_residual_reference)
    )
    torch.testing.assert_close(written, expected)
