import numpy as np
import pytest
import torch

from ml.config.settings import FilterMethod
from ml.levy.dense import DenseLevyOperator
from ml.levy.filter import filter_matrix
from ml.nn.filters.base import FilterSettings, LevyFilter
from ml.nn.filters.dense import DenseFilter
from ml.nn.filters.operator_filter import OperatorFilter
from tests.ml.small_grids import ring_with_chords

ALPHA, ORDER = 0.3, 2


def operator(sigma: float) -> DenseLevyOperator:
    return DenseLevyOperator(ring_with_chords().adjacency, gamma=0.4, sigma=sigma)


def both_filters(sigma: float, method: FilterMethod = "taylor") -> list[LevyFilter]:
    levy = operator(sigma)
    matrix = filter_matrix(levy.matrix, ALPHA, ORDER, method)
    device = torch.device("cpu")
    return [DenseFilter(matrix, device), OperatorFilter(levy, FilterSettings(ALPHA, ORDER, method))]


def signal() -> torch.Tensor:
    torch.manual_seed(0)
    return torch.randn(30, 4, requires_grad=True)


@pytest.mark.parametrize("sigma", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("method", ["taylor", "exact"])
def test_matrix_and_operator_filter_alike(sigma: float, method: FilterMethod) -> None:
    dense, sparse = (levy_filter.apply(signal()) for levy_filter in both_filters(sigma, method))
    torch.testing.assert_close(dense, sparse, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("sigma", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("method", ["taylor", "exact"])
def test_the_gradient_is_the_transposed_filter(sigma: float, method: FilterMethod) -> None:
    matrix = torch.from_numpy(filter_matrix(operator(sigma).matrix, ALPHA, ORDER, method)).float()
    direction = torch.randn(30, 4)
    for levy_filter in both_filters(sigma, method):
        values = signal()
        (found,) = torch.autograd.grad(levy_filter.apply(values), values, direction)
        torch.testing.assert_close(found, matrix.T @ direction, atol=1e-6, rtol=1e-5)


def test_the_filter_at_chosen_nodes_is_a_part_of_the_whole() -> None:
    nodes = torch.tensor([3, 17, 29])
    direction = torch.randn(3, 4)
    for levy_filter in both_filters(0.5):
        values = signal()
        torch.testing.assert_close(
            levy_filter.apply_at(values, nodes), levy_filter.apply(values)[nodes]
        )
        (found,) = torch.autograd.grad(levy_filter.apply_at(values, nodes), values, direction)
        (expected,) = torch.autograd.grad(levy_filter.apply(values)[nodes], values, direction)
        torch.testing.assert_close(found, expected)


def test_different_sets_of_nodes_have_separate_rows() -> None:
    dense, _ = both_filters(0.5)
    values = signal().detach()
    for nodes in (torch.tensor([1, 2]), torch.tensor([3]), torch.tensor([1, 2])):
        torch.testing.assert_close(dense.apply_at(values, nodes), dense.apply(values)[nodes])


def test_a_constant_signal_is_filtered_once() -> None:
    for levy_filter in both_filters(0.5):
        values = signal().detach()
        first = levy_filter.apply_to_constant(values)
        assert levy_filter.apply_to_constant(values) is first
        other = values + 1
        torch.testing.assert_close(levy_filter.apply_to_constant(other), levy_filter.apply(other))


def test_an_isolated_node_keeps_its_own_share() -> None:
    for levy_filter in both_filters(0.5):
        values = signal().detach()
        np.testing.assert_allclose(
            levy_filter.apply(values)[29], (1 - ALPHA) * values[29], rtol=1e-6
        )


def test_a_matrix_is_applied_on_its_device() -> None:
    """The meta device has no values: copying from it to the host would fail."""
    elsewhere = torch.device("meta")
    levy_filter = DenseFilter(operator(0.5).matrix, elsewhere)
    values = torch.empty(30, 4, device=elsewhere, requires_grad=True)
    nodes = torch.arange(5, device=elsewhere)
    filtered = levy_filter.apply_at(levy_filter.apply(values), nodes)
    (gradient,) = torch.autograd.grad(filtered.sum(), values)
    assert filtered.device == elsewhere
    assert filtered.shape == (5, 4)
    assert gradient.device == elsewhere


def test_solves_copy_a_signal_to_the_host_and_back() -> None:
    levy_filter = OperatorFilter(operator(0.5), FilterSettings(ALPHA, ORDER))
    filtered = levy_filter.apply(signal().to(torch.float64))
    assert filtered.dtype == torch.float64
    with pytest.raises(NotImplementedError, match="meta"):
        levy_filter.apply(torch.empty(30, 4, device="meta"))
