import pytest
import torch

from ml.nn.kernels.dropout import drop_values, drop_values_reference


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_the_share_of_zeros_is_the_rate(rate: float) -> None:
    torch.manual_seed(0)
    dropped = drop_values(torch.ones(500, 401), rate)
    assert (dropped == 0).float().mean().item() == pytest.approx(rate, abs=0.005)


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_the_expectation_stays(rate: float) -> None:
    torch.manual_seed(0)
    assert drop_values(torch.ones(500, 401), rate).mean().item() == pytest.approx(1, abs=0.03)


def test_the_remaining_values_are_scaled_exactly() -> None:
    torch.manual_seed(0)
    assert set(drop_values(torch.ones(100), 0.5).tolist()) == {0.0, 2.0}


def test_a_rate_next_to_one_leaves_finite_values() -> None:
    torch.manual_seed(0)
    assert torch.isfinite(drop_values(torch.ones(1000), 1 - 1e-9)).all()


def test_neighbouring_values_are_dropped_independently() -> None:
    torch.manual_seed(0)
    zeros = (drop_values(torch.ones(400_000), 0.5) == 0).float()
    for shift in (1, 2, 3, 4):
        together = (zeros[shift:] * zeros[:-shift]).mean().item()
        assert together == pytest.approx(0.25, abs=0.005)


def test_the_gradient_passes_where_the_value_does() -> None:
    torch.manual_seed(0)
    values = torch.randn(50, 3, requires_grad=True)
    dropped = drop_values(values, 0.4)
    (found,) = torch.autograd.grad(dropped.sum(), values)
    torch.testing.assert_close(found * values, dropped)


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.999])
def test_values_and_gradient_are_those_of_the_reference(rate: float) -> None:
    values = torch.randn(41, 3, dtype=torch.float64, requires_grad=True)
    results = []
    for drop in (drop_values, drop_values_reference):
        torch.manual_seed(3)
        results.append(drop(values, rate))
    torch.testing.assert_close(*results)
    direction = torch.randn_like(results[0])
    torch.testing.assert_close(
        *(torch.autograd.grad(result, values, direction) for result in results)
    )
