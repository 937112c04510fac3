import pytest
import torch

from ml.nn.layers import BranchPooling


def random_outputs(branches: int = 4) -> torch.Tensor:
    torch.manual_seed(0)
    return torch.randn(branches, 7, 5, dtype=torch.float64, requires_grad=True)


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
