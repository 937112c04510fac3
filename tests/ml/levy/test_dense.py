"""The Lévy operator as a full matrix."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ml.errors import InvalidHyperparameter
from ml.graph.graph import Graph
from ml.graph.laplacian import laplacian_of
from ml.levy.dense import (
    DenseLevyOperator,
    fractional_adjacency,
    fractional_laplacian,
    transition_matrix,
)
from tests.ml.grids import (
    ISOLATED,
    archipelago,
    complete,
    connected_graphs,
    grid_like,
    make_graph,
    random_signal,
    relabelled,
    ring,
)

GAMMAS = [0.001, 0.1, 0.5, 0.9, 1.0]
SIGMAS = [0.0, 0.3, 0.5, 1.0]


# Hand cases


@pytest.mark.parametrize("gamma", GAMMAS)
def test_two_nodes_have_the_power_worked_out_by_hand(gamma: float) -> None:
    graph = Graph(2, np.array([[0, 1]]), np.array([3.0]))
    expected = 6**gamma / 2 * np.array([[1, -1], [-1, 1]])
    np.testing.assert_allclose(fractional_laplacian(graph.adjacency, gamma), expected, rtol=1e-14)


@pytest.mark.parametrize("gamma", GAMMAS)
def test_a_ring_has_the_circulant_power(gamma: float) -> None:
    count = 17
    angles = 2 * np.pi * np.arange(count) / count
    spectrum = np.where(angles > 0, np.abs(2 - 2 * np.cos(angles)) ** gamma, 0)
    first_row = [float(spectrum @ np.cos(angles * node)) / count for node in range(count)]
    power = fractional_laplacian(ring(count).adjacency, gamma)
    np.testing.assert_allclose(power[0], first_row, atol=1e-13)


def test_on_a_complete_graph_every_flight_is_the_ordinary_walk() -> None:
    expected = (1 - np.eye(6)) / 5
    for gamma in GAMMAS:
        walk = transition_matrix(complete(6).adjacency, gamma)
        np.testing.assert_allclose(walk, expected, atol=1e-14)


def test_far_jumps_on_a_ring_fall_off_with_the_power_law_of_levy_flights() -> None:
    # Riascos and Mateos (2014): m_0d ~ d^-(1 + 2 g) on an infinite ring.
    gamma = 0.25
    walk = transition_matrix(ring(601).adjacency, gamma)
    slope = math.log(walk[0, 10] / walk[0, 5]) / math.log(2)
    assert slope == pytest.approx(-(1 + 2 * gamma), abs=0.02)


# Limits


def test_gamma_one_is_the_ordinary_laplacian_bit_for_bit() -> None:
    graph = archipelago()
    power = fractional_laplacian(graph.adjacency, 1)
    np.testing.assert_array_equal(power, laplacian_of(graph.adjacency).toarray())


def test_gamma_one_is_the_ordinary_random_walk() -> None:
    graph = grid_like(30, 3)
    weights = graph.adjacency.toarray()
    expected = weights / weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(transition_matrix(graph.adjacency, 1), expected, rtol=1e-13)


def test_gamma_close_to_one_is_close_to_the_fast_path() -> None:
    graph = archipelago()
    near = fractional_laplacian(graph.adjacency, 1 - 1e-9)
    np.testing.assert_allclose(near, fractional_laplacian(graph.adjacency, 1), atol=1e-7)


def test_gamma_close_to_zero_jumps_uniformly_within_the_island() -> None:
    graph = archipelago()
    walk = transition_matrix(graph.adjacency, 1e-9)
    same_island = graph.islands[:, None] == graph.islands
    others = np.maximum(same_island.sum(axis=1) - 1, 1)
    expected = np.where(same_island & ~np.eye(22, dtype=bool), 1 / others[:, None], 0)
    np.testing.assert_allclose(walk, expected, atol=1e-7)


# Invariants


@given(graph=connected_graphs(), gamma=st.floats(0.001, 1))
@settings(max_examples=60, deadline=None)
def test_jump_probabilities_are_a_stochastic_matrix_without_staying(
    graph: Graph, gamma: float
) -> None:
    walk = transition_matrix(graph.adjacency, gamma)
    assert (walk >= 0).all()
    np.testing.assert_array_equal(np.diagonal(walk), 0)
    np.testing.assert_allclose(walk.sum(axis=1), 1, atol=1e-9)


@pytest.mark.parametrize("gamma", GAMMAS)
def test_rows_sum_to_one_except_those_of_isolated_nodes_which_are_zero(gamma: float) -> None:
    walk = transition_matrix(archipelago().adjacency, gamma)
    expected = np.ones(22)
    expected[ISOLATED] = 0
    np.testing.assert_allclose(walk.sum(axis=1), expected, atol=1e-12)
    np.testing.assert_array_equal(walk[:, ISOLATED], 0)


@pytest.mark.parametrize("gamma", [0.001, 0.5])
def test_a_flight_reaches_every_node_of_its_island_and_none_beyond(gamma: float) -> None:
    graph = archipelago()
    reached = transition_matrix(graph.adjacency, gamma) > 0
    same_island = graph.islands[:, None] == graph.islands
    np.testing.assert_array_equal(reached, same_island & ~np.eye(22, dtype=bool))


@pytest.mark.parametrize("gamma", [0.001, 0.1, 0.9])
def test_the_constants_of_an_island_are_in_the_null_space(gamma: float) -> None:
    power = fractional_laplacian(archipelago().adjacency, gamma)
    np.testing.assert_allclose(power.sum(axis=1), 0, atol=1e-14)
    np.testing.assert_array_equal(power, power.T)


def test_powers_multiply_up_to_the_laplacian() -> None:
    graph = archipelago()
    product = fractional_laplacian(graph.adjacency, 0.3) @ fractional_laplacian(
        graph.adjacency, 0.7
    )
    np.testing.assert_allclose(product, laplacian_of(graph.adjacency).toarray(), atol=1e-12)


@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.parametrize("sigma", SIGMAS)
def test_the_operator_does_not_change_when_all_weights_are_scaled(
    gamma: float, sigma: float
) -> None:
    graph = archipelago()
    scaled = graph.adjacency * 250.0
    np.testing.assert_allclose(
        DenseLevyOperator(scaled, gamma, sigma).matrix,
        DenseLevyOperator(graph.adjacency, gamma, sigma).matrix,
        atol=1e-12,
    )


def test_the_operator_follows_the_nodes_when_they_are_renumbered() -> None:
    graph = archipelago()
    order = np.random.default_rng(5).permutation(graph.node_count)
    moved = DenseLevyOperator(relabelled(graph, order), 0.4, 0.2).matrix
    matrix = DenseLevyOperator(graph.adjacency, 0.4, 0.2).matrix
    np.testing.assert_allclose(moved, matrix[np.ix_(order, order)], atol=1e-13)


@pytest.mark.parametrize("sigma", SIGMAS)
def test_the_spectrum_of_the_operator_lies_between_minus_one_and_one(sigma: float) -> None:
    values = np.linalg.eigvals(DenseLevyOperator(archipelago().adjacency, 0.5, sigma).matrix)
    np.testing.assert_allclose(values.imag, 0, atol=1e-7)
    assert np.abs(values).max() == pytest.approx(1)


# The operator as an object


@pytest.mark.parametrize("sigma", SIGMAS)
def test_the_operator_is_the_identity_less_the_scaled_power(sigma: float) -> None:
    graph = grid_like(20, 6)
    power = fractional_laplacian(graph.adjacency, 0.3)
    degrees = np.diagonal(power)
    scaled = degrees[:, None] ** -sigma * power * degrees ** (sigma - 1)
    matrix = DenseLevyOperator(graph.adjacency, 0.3, sigma).matrix
    np.testing.assert_allclose(matrix, np.eye(20) - scaled, atol=1e-14)


def test_apply_and_its_transpose_are_products_with_the_matrix() -> None:
    operator = DenseLevyOperator(archipelago().adjacency, 0.3, 0.8)
    signal = random_signal(operator.node_count)
    np.testing.assert_allclose(operator.apply(signal), operator.matrix @ signal)
    np.testing.assert_allclose(operator.apply_transposed(signal), operator.matrix.T @ signal)


def test_the_diagonal_holds_the_fractional_degrees() -> None:
    graph = archipelago()
    operator = DenseLevyOperator(graph.adjacency, 0.3, 0.8)
    expected = np.diagonal(fractional_laplacian(graph.adjacency, 0.3))
    np.testing.assert_array_equal(operator.diagonal(), expected)
    assert operator.diagonal()[ISOLATED] == 0


def test_fractional_weights_are_degrees_less_the_power() -> None:
    graph = archipelago()
    weights = fractional_adjacency(graph.adjacency, 0.3)
    power = fractional_laplacian(graph.adjacency, 0.3)
    np.testing.assert_array_equal(weights, np.diag(np.diagonal(power)) - power)
    np.testing.assert_allclose(weights.sum(axis=1), np.diagonal(power), atol=1e-14)


def test_a_graph_without_edges_has_a_zero_operator() -> None:
    for gamma in (0.5, 1.0):
        operator = DenseLevyOperator(make_graph([], 3).adjacency, gamma, 0.5)
        np.testing.assert_array_equal(operator.matrix, np.zeros((3, 3)))


@pytest.mark.parametrize("gamma", [0.0, -0.1, 1.01, math.nan])
def test_gamma_outside_its_interval_is_refused(gamma: float) -> None:
    with pytest.raises(InvalidHyperparameter, match="gamma"):
        DenseLevyOperator(ring(4).adjacency, gamma, 0.5)
