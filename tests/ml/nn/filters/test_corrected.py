"""The filter of a censored graph in torch, against the numpy filter of the same operator."""

import numpy as np
import pytest
import torch

from ml.levy.corrected import CorrectedLevyOperator
from ml.levy.dense import DenseLevyOperator
from ml.levy.filter import filter_signal, filter_transposed
from ml.levy.solver.low_rank import LowRankPowers
from ml.levy.solver.powers import GraphPowers
from ml.nn.filters.corrected import CorrectedFilter, StoredWalk, stored_walk_of
from tests.ml.grids import archipelago, random_signal

ALPHA = 0.4
NODES = torch.tensor([20, 3, 12, 7])


def make_operator() -> CorrectedLevyOperator:
    graph = archipelago()
    powers = LowRankPowers(GraphPowers(graph.adjacency, 0.2))
    correction = powers.correct(graph.pairs[[1, 6, 12]])
    assert correction is not None
    matrix = DenseLevyOperator(graph.adjacency, 0.2, 0.3)
    return CorrectedLevyOperator(powers.whole, correction, 0.3, matrix)


def make_filter(order: int) -> CorrectedFilter:
    operator = make_operator()
    assert operator.whole is not None
    walk = StoredWalk(operator.whole, torch.device("cpu"))
    return CorrectedFilter(operator, walk, ALPHA, order)


@pytest.mark.parametrize("order", [0, 1, 3])
def test_the_filter_equals_that_of_the_operator(order: int) -> None:
    signal = random_signal(22)
    expected = filter_signal(make_operator(), signal, ALPHA, order)
    levy_filter = make_filter(order)
    columns = torch.from_numpy(signal).float()
    np.testing.assert_allclose(levy_filter.apply(columns), expected, atol=1e-5)
    np.testing.assert_allclose(levy_filter.apply_to_constant(columns), expected, atol=1e-5)
    at_nodes = levy_filter.apply_at(columns, NODES)
    np.testing.assert_allclose(at_nodes, expected[NODES.numpy()], atol=1e-5)


@pytest.mark.parametrize("order", [0, 1, 3])
@pytest.mark.parametrize("nodes", [None, NODES])
def test_the_gradient_is_the_transposed_filter(order: int, nodes: torch.Tensor | None) -> None:
    columns = torch.from_numpy(random_signal(22)).float().requires_grad_()
    levy_filter = make_filter(order)
    filtered = levy_filter.apply(columns) if nodes is None else levy_filter.apply_at(columns, nodes)
    gradient = random_signal(len(filtered), seed=1)
    filtered.backward(torch.from_numpy(gradient).float())  # type: ignore[no-untyped-call]  # torch
    spread = gradient
    if nodes is not None:
        spread = np.zeros((22, 3))
        spread[nodes.numpy()] = gradient
    expected = filter_transposed(make_operator(), spread, ALPHA, order)
    assert columns.grad is not None
    np.testing.assert_allclose(columns.grad, expected, atol=1e-5)


def test_a_correction_is_applied_on_the_device_of_the_matrix() -> None:
    """The meta device has no values: copying from it to the host would fail."""
    elsewhere = torch.device("meta")
    operator = make_operator()
    assert operator.whole is not None
    levy_filter = CorrectedFilter(operator, StoredWalk(operator.whole, elsewhere), ALPHA, 2)
    values = torch.empty(22, 3, device=elsewhere, requires_grad=True)
    filtered = levy_filter.apply_at(levy_filter.apply(values), NODES.to(elsewhere))
    (gradient,) = torch.autograd.grad(filtered.sum(), values)
    assert filtered.device == elsewhere
    assert filtered.shape == (4, 3)
    assert gradient.device == elsewhere


def test_censored_graphs_share_one_copy_of_the_matrix() -> None:
    whole = make_operator().whole
    assert whole is not None
    walk = stored_walk_of(whole, torch.device("cpu"))
    assert stored_walk_of(whole, torch.device("cpu")) is walk
    assert stored_walk_of(whole, torch.device("meta")) is not walk
