"""The FGS filter: its series, its limit and its transpose."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from ml.arrays import FloatArray
from ml.config.levy import LfgcnSettings
from ml.config.settings import FilterMethod
from ml.errors import InvalidHyperparameter
from ml.graph.graph import Graph
from ml.levy.dense import DenseLevyOperator
from ml.levy.filter import default_order, filter_matrix, filter_signal, filter_transposed
from ml.levy.interface import LevyOperator
from tests.ml.grids import ISOLATED, archipelago, connected_graphs, random_signal

ALPHAS = [0.1, 0.5, 0.9]
SIGMAS = [0.0, 0.4, 0.5, 1.0]


class OrdinaryWalk(LevyOperator):
    """The operator of gamma = 1 that stores only the edges: not a ``DenseLevyOperator``."""

    gamma = 1.0

    def __init__(self, graph: Graph, sigma: float) -> None:
        self.sigma = sigma
        self._degrees: FloatArray = graph.adjacency.toarray().sum(axis=1)
        self._matrix = sp.csr_array(DenseLevyOperator(graph.adjacency, 1, sigma).matrix)

    @property
    def node_count(self) -> int:
        return len(self._degrees)

    def apply(self, signal: FloatArray) -> FloatArray:
        return np.asarray(self._matrix @ signal)

    def apply_transposed(self, signal: FloatArray) -> FloatArray:
        return np.asarray(self._matrix.T @ signal)

    def diagonal(self) -> FloatArray:
        return self._degrees


def inverse_filter(matrix: FloatArray, alpha: float) -> FloatArray:
    inverse = np.linalg.inv(np.eye(len(matrix)) - alpha * matrix)
    return np.asarray((1 - alpha) * inverse, dtype=np.float64)


@pytest.mark.parametrize(
    ("alpha", "order"), [(0.1, 1), (0.25, 1), (0.26, 2), (0.5, 2), (0.75, 3), (0.9, 4)]
)
def test_the_series_stops_at_the_order_of_the_paper(alpha: float, order: int) -> None:
    assert default_order(alpha) == order
    assert LfgcnSettings(alpha=alpha).taylor_order == order


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("order", [0, 1, 2, 5])
def test_the_recurrence_is_the_sum_of_powers(alpha: float, order: int) -> None:
    operator = DenseLevyOperator(archipelago().adjacency, 0.3, 0.4)
    signal = random_signal(operator.node_count)
    powers = [np.linalg.matrix_power(alpha * operator.matrix, power) for power in range(order + 1)]
    expected = (1 - alpha) * sum(powers) @ signal
    np.testing.assert_allclose(filter_signal(operator, signal, alpha, order), expected, atol=1e-13)


@pytest.mark.parametrize("order", range(7))
def test_the_filter_matrix_is_the_recurrence_on_unit_signals(order: int) -> None:
    operator = DenseLevyOperator(archipelago().adjacency, 0.3, 0.4)
    expected = filter_signal(operator, np.eye(operator.node_count), 0.7, order)
    np.testing.assert_allclose(filter_matrix(operator.matrix, 0.7, order), expected, atol=1e-13)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_without_an_order_the_one_of_the_paper_is_taken(alpha: float) -> None:
    operator = DenseLevyOperator(archipelago().adjacency, 0.3, 0.4)
    signal = random_signal(operator.node_count)
    np.testing.assert_array_equal(
        filter_signal(operator, signal, alpha),
        filter_signal(operator, signal, alpha, math.ceil(4 * alpha)),
    )


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("sigma", SIGMAS)
def test_the_exact_filter_is_the_dense_inverse(alpha: float, sigma: float) -> None:
    operator = DenseLevyOperator(archipelago().adjacency, 0.3, sigma)
    signal = random_signal(operator.node_count)
    expected = inverse_filter(operator.matrix, alpha) @ signal
    exact = filter_signal(operator, signal, alpha, method="exact")
    np.testing.assert_allclose(exact, expected, atol=1e-12)


@pytest.mark.parametrize("alpha", [*ALPHAS, 0.999])
@pytest.mark.parametrize("sigma", SIGMAS)
def test_an_operator_that_is_not_stored_is_inverted_as_exactly(alpha: float, sigma: float) -> None:
    graph = archipelago()
    operator = OrdinaryWalk(graph, sigma)
    matrix = DenseLevyOperator(graph.adjacency, 1, sigma).matrix
    signal = random_signal(graph.node_count)
    expected = inverse_filter(matrix, alpha)
    forward = filter_signal(operator, signal, alpha, method="exact")
    backward = filter_transposed(operator, signal, alpha, method="exact")
    np.testing.assert_allclose(forward, expected @ signal, atol=1e-11)
    np.testing.assert_allclose(backward, expected.T @ signal, atol=1e-11)


def test_columns_of_zeros_and_single_signals_pass_the_iterative_inverse() -> None:
    operator = OrdinaryWalk(archipelago(), 0.5)
    signal = random_signal(operator.node_count, columns=2)
    signal[:, 1] = 0
    both = filter_signal(operator, signal, 0.5, method="exact")
    alone = filter_signal(operator, signal[:, 0], 0.5, method="exact")
    np.testing.assert_allclose(both[:, 0], alone, atol=1e-14)
    np.testing.assert_array_equal(both[:, 1], 0)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_a_long_series_converges_to_the_exact_filter(alpha: float) -> None:
    operator = DenseLevyOperator(archipelago().adjacency, 0.3, 0.4)
    signal = random_signal(operator.node_count)
    series = filter_signal(operator, signal, alpha, order=400)
    exact = filter_signal(operator, signal, alpha, method="exact")
    np.testing.assert_allclose(series, exact, atol=1e-12)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_constants_pass_the_averaging_filter_but_for_the_cut_of_the_series(alpha: float) -> None:
    operator = DenseLevyOperator(archipelago().adjacency, 0.3, 1.0)
    constant = np.ones((operator.node_count, 1))
    connected = np.arange(operator.node_count) != ISOLATED
    exact = filter_signal(operator, constant, alpha, method="exact")
    np.testing.assert_allclose(exact[connected], 1, atol=1e-12)
    series = filter_signal(operator, constant, alpha, order=3)
    np.testing.assert_allclose(series[connected], 1 - alpha**4, atol=1e-12)


@pytest.mark.parametrize("method", ["taylor", "exact"])
@pytest.mark.parametrize("sigma", SIGMAS)
def test_an_isolated_node_only_shrinks(method: FilterMethod, sigma: float) -> None:
    signal = random_signal(22)
    for operator in (
        DenseLevyOperator(archipelago().adjacency, 0.3, sigma),
        OrdinaryWalk(archipelago(), sigma),
    ):
        filtered = filter_signal(operator, signal, 0.4, method=method)
        np.testing.assert_allclose(filtered[ISOLATED], 0.6 * signal[ISOLATED], rtol=1e-13)


@given(
    graph=connected_graphs(),
    alpha=st.floats(0.01, 0.99),
    sigma=st.floats(0, 1),
    method=st.sampled_from(["taylor", "exact"]),
)
@settings(max_examples=50, deadline=None)
def test_the_transposed_filter_is_the_adjoint(
    graph: Graph, alpha: float, sigma: float, method: FilterMethod
) -> None:
    operator = DenseLevyOperator(graph.adjacency, 0.5, sigma)
    here, there = random_signal(graph.node_count, 1, 1), random_signal(graph.node_count, 1, 2)
    forward = filter_signal(operator, here, alpha, method=method)
    backward = filter_transposed(operator, there, alpha, method=method)
    scale = np.abs(forward).sum() + np.abs(backward).sum() + 1
    assert float(np.sum(forward * there)) == pytest.approx(
        float(np.sum(here * backward)), abs=1e-10 * scale
    )


@pytest.mark.parametrize("method", ["taylor", "exact"])
def test_the_filter_matrix_acts_like_the_filter(method: FilterMethod) -> None:
    operator = DenseLevyOperator(archipelago().adjacency, 0.3, 0.4)
    signal = random_signal(operator.node_count)
    matrix = filter_matrix(operator.matrix, 0.7, method=method)
    expected = filter_signal(operator, signal, 0.7, method=method)
    np.testing.assert_allclose(matrix @ signal, expected, atol=1e-13)


def test_filters_of_order_zero_only_scale() -> None:
    operator = DenseLevyOperator(archipelago().adjacency, 0.3, 0.4)
    signal = random_signal(operator.node_count)
    np.testing.assert_array_equal(filter_signal(operator, signal, 0.25, 0), 0.75 * signal)


def test_the_input_is_left_as_it_was() -> None:
    signal = random_signal(22)
    before = signal.copy()
    for operator in (
        DenseLevyOperator(archipelago().adjacency, 0.3, 0.4),
        OrdinaryWalk(archipelago(), 0.4),
    ):
        filter_signal(operator, signal, 0.4)
        filter_signal(operator, signal, 0.4, method="exact")
    np.testing.assert_array_equal(signal, before)


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.5, math.nan])
def test_alpha_outside_the_open_interval_is_refused(alpha: float) -> None:
    operator = DenseLevyOperator(archipelago().adjacency, 0.3, 0.4)
    with pytest.raises(InvalidHyperparameter, match="alpha"):
        filter_signal(operator, random_signal(22), alpha)


def test_every_wrong_setting_is_named_at_once() -> None:
    with pytest.raises(InvalidHyperparameter) as caught:
        filter_matrix(np.eye(2), alpha=2, order=-1)
    assert [fault.where for fault in caught.value.faults] == ["alpha", "filter_order"]
