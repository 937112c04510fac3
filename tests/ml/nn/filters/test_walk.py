import numpy as np
import pytest
import torch

from ml.levy.filter import filter_signal, filter_transposed
from ml.levy.ordinary import OrdinaryWalkOperator
from ml.nn.filters.walk import WalkFilter
from tests.ml.grids import archipelago

GRAPH = archipelago()
SIGNAL = np.random.default_rng(0).normal(size=(GRAPH.node_count, 3))
CPU = torch.device("cpu")


def make_filter(sigma: float, alpha: float, order: int) -> tuple[OrdinaryWalkOperator, WalkFilter]:
    operator = OrdinaryWalkOperator(GRAPH.adjacency, sigma)
    return operator, WalkFilter(operator, alpha, order, CPU)


@pytest.mark.parametrize("sigma", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(("alpha", "order"), [(0.2, 0), (0.5, 2), (0.95, 16)])
def test_the_filter_is_the_recurrence_in_double_precision(
    sigma: float, alpha: float, order: int
) -> None:
    operator, walk = make_filter(sigma, alpha, order)
    filtered = walk.apply(torch.from_numpy(SIGNAL).float())
    expected = filter_signal(operator, SIGNAL, alpha, order)
    np.testing.assert_allclose(filtered.numpy(), expected, rtol=1e-4, atol=1e-5)


def test_the_gradient_is_the_transposed_filter() -> None:
    operator, walk = make_filter(0.3, 0.8, 4)
    signal = torch.from_numpy(SIGNAL).float().requires_grad_()
    weights = np.random.default_rng(1).normal(size=SIGNAL.shape)
    walk.apply(signal).backward(torch.from_numpy(weights).float())  # type: ignore[no-untyped-call]
    assert signal.grad is not None
    expected = filter_transposed(operator, weights, 0.8, 4)
    np.testing.assert_allclose(signal.grad.numpy(), expected, rtol=1e-4, atol=1e-5)


def test_the_filter_at_chosen_nodes_is_a_part_of_the_whole() -> None:
    _, walk = make_filter(0.5, 0.8, 4)
    signal = torch.from_numpy(SIGNAL).float()
    nodes = torch.tensor([3, 0])
    torch.testing.assert_close(walk.apply_at(signal, nodes), walk.apply(signal)[nodes])


def test_a_constant_signal_is_filtered_once() -> None:
    _, walk = make_filter(0.5, 0.8, 4)
    signal = torch.from_numpy(SIGNAL).float()
    once = walk.apply_to_constant(signal)
    assert walk.apply_to_constant(signal) is once
    torch.testing.assert_close(once, walk.apply(signal))


def test_signals_in_column_order_are_accepted() -> None:
    _, walk = make_filter(0.5, 0.8, 4)
    signal = torch.from_numpy(SIGNAL).float()
    torch.testing.assert_close(walk.apply(signal.T.contiguous().T), walk.apply(signal))
