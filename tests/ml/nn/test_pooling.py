import pytest
import torch

from ml.nn.pooling import BranchPooling, pool_gated


def by_autograd(outputs: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
    """The formula as the paper has it, differentiated by torch."""
    share = torch.sigmoid((gate[:, None, None] * outputs).sum(0))
    return share * outputs.amax(0) + (1 - share) * outputs.mean(0)


def random_outputs(branches: int = 4) -> torch.Tensor:
    torch.manual_seed(0)
    return torch.randn(branches, 7, 5, dtype=torch.float64, requires_grad=True)


def test_gated_pooling_follows_the_formula() -> None:
    outputs, gate = random_outputs(), torch.randn(4, dtype=torch.float64)
    torch.testing.assert_close(pool_gated(outputs, gate), by_autograd(outputs, gate))


def test_the_written_gradient_is_that_of_the_formula() -> None:
    gate = torch.randn(4, dtype=torch.float64, requires_grad=True)
    outputs = random_outputs()
    direction = torch.randn(7, 5, dtype=torch.float64)
    expected = torch.autograd.grad(by_autograd(outputs, gate), (outputs, gate), direction)
    found = torch.autograd.grad(pool_gated(outputs, gate), (outputs, gate), direction)
    torch.testing.assert_close(found, expected)


def test_equal_branches_share_the_gradient_of_the_maximum() -> None:
    outputs = torch.zeros(4, 2, 3, dtype=torch.float64, requires_grad=True)
    gate = torch.ones(4, dtype=torch.float64)
    (found,) = torch.autograd.grad(pool_gated(outputs, gate).sum(), outputs)
    torch.testing.assert_close(found, torch.full_like(outputs, 0.25))


def test_a_closed_gate_averages_and_an_open_one_takes_the_maximum() -> None:
    outputs = random_outputs().detach().abs() + 1
    wide = torch.full((4,), 50.0, dtype=torch.float64)
    torch.testing.assert_close(pool_gated(outputs, wide), outputs.amax(0))
    torch.testing.assert_close(pool_gated(outputs, -wide), outputs.mean(0))


@pytest.mark.parametrize("gate", ["branch", "channel"])
def test_both_gate_shapes_start_half_way(gate: str) -> None:
    pooling = BranchPooling(4, 5, "gated", gate).double()  # type: ignore[arg-type]  # parametrised
    outputs = random_outputs().detach()
    expected = (outputs.amax(0) + outputs.mean(0)) / 2
    torch.testing.assert_close(pooling(outputs), expected)


def test_mixed_pooling_learns_one_share() -> None:
    pooling = BranchPooling(4, 5, "mixed", "branch").double()
    outputs = random_outputs()
    pooling(outputs).sum().backward()
    assert pooling.gate is not None
    assert pooling.gate.grad is not None
    expected = 0.25 * (outputs.amax(0) - outputs.mean(0)).sum()
    torch.testing.assert_close(pooling.gate.grad, expected.detach())


def test_max_and_average_have_nothing_to_learn() -> None:
    outputs = random_outputs().detach()
    largest, average = (BranchPooling(4, 5, kind, "branch") for kind in ("max", "average"))
    torch.testing.assert_close(largest(outputs), outputs.amax(0))
    torch.testing.assert_close(average(outputs), outputs.mean(0))
    assert not list(largest.parameters())
    assert not list(average.parameters())
