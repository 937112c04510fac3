"""The operators of a graph and of its censored copies."""

import numpy as np
import pytest

from experiments.datasets.grid_tasks import load_task
from ml.graph.graph import Graph, censor_pairs
from ml.levy.build import LevyFamily
from ml.levy.dense import DenseLevyOperator, fractional_laplacian
from ml.levy.solver.core_factors import CensoredFactors
from ml.levy.sparse import SparseLevyOperator
from tests.ml.grids import archipelago, grid_like, path, random_signal, tangle


def test_the_whole_operator_is_that_of_the_graph() -> None:
    graph = archipelago()
    signal = random_signal(graph.node_count)
    operator = LevyFamily(graph.adjacency, 0.3, 0.7, "dense").whole()
    expected = DenseLevyOperator(graph.adjacency, 0.3, 0.7).apply(signal)
    np.testing.assert_array_equal(operator.apply(signal), expected)
    assert (operator.gamma, operator.sigma) == (0.3, 0.7)


def test_a_censored_operator_is_that_of_the_graph_without_the_pairs() -> None:
    graph = archipelago()
    pairs = graph.pairs
    gone = np.array([0, 5, len(pairs) - 1])
    kept = np.delete(np.arange(len(pairs)), gone)
    weights = graph.adjacency.toarray()[tuple(pairs[kept].T)]
    smaller = Graph(graph.node_count, pairs[kept], weights)
    signal = random_signal(graph.node_count)
    operator = LevyFamily(graph.adjacency, 0.3, 0.7, "dense").censored(pairs[gone])
    expected = DenseLevyOperator(smaller.adjacency, 0.3, 0.7).apply(signal)
    np.testing.assert_allclose(operator.apply(signal), expected, atol=1e-13)


def test_censoring_does_not_touch_the_whole_operator() -> None:
    graph = archipelago()
    family = LevyFamily(graph.adjacency, 0.3, 0.7, "dense")
    signal = random_signal(graph.node_count)
    before = family.whole().apply(signal)
    family.censored(graph.pairs[:4])
    np.testing.assert_array_equal(family.whole().apply(signal), before)


def test_a_node_cut_off_by_censoring_becomes_isolated() -> None:
    graph = path(4)
    operator = LevyFamily(graph.adjacency, 0.5, 0.5, "dense").censored(np.array([[0, 1]]))
    assert operator.diagonal()[0] == 0
    np.testing.assert_array_equal(operator.apply(np.ones((4, 1)))[0], 0)


def test_a_leaf_that_loses_its_only_edge_is_isolated_in_the_corrected_matrix_too() -> None:
    graph = load_task("case300", "zone").graph
    degrees = np.bincount(graph.pairs.ravel(), minlength=graph.node_count)
    leaves = graph.pairs[(degrees[graph.pairs] == 1).any(axis=1)]
    assert len(leaves) > 50
    families = [LevyFamily(graph.adjacency, 0.1, sigma) for sigma in (0.0, 0.5, 1.0)]
    assert families[0].choice.kind == "corrected"
    identity = np.eye(graph.node_count)
    for pair in leaves:
        censored = censor_pairs(graph.adjacency, pair[None])
        power = fractional_laplacian(censored, 0.1)
        for family in families:
            exact = DenseLevyOperator(censored, 0.1, family.sigma, power)
            corrected = family.censored(pair[None])
            np.testing.assert_array_equal(corrected.diagonal() == 0, exact.diagonal() == 0)
            np.testing.assert_allclose(corrected.apply(identity), exact.matrix, atol=1e-6)


@pytest.mark.parametrize("gamma", [0.1, 1.0])
def test_both_kinds_give_the_same_operators(gamma: float) -> None:
    graph = archipelago()
    signal = random_signal(graph.node_count)
    dense = LevyFamily(graph.adjacency, gamma, 0.3, "dense")
    sparse = LevyFamily(graph.adjacency, gamma, 0.3, "sparse")
    gone = graph.pairs[[0, 5, -1]]
    for one, other in (
        (dense.whole(), sparse.whole()),
        (dense.censored(gone), sparse.censored(gone)),
    ):
        np.testing.assert_allclose(other.apply(signal), one.apply(signal), atol=1e-7)
        assert (other.gamma, other.sigma, other.node_count) == (gamma, 0.3, 22)


def test_a_graph_without_edges_has_the_zero_operator() -> None:
    graph = Graph(3, np.zeros((0, 2), dtype=np.int64), np.zeros(0))
    operator = LevyFamily(graph.adjacency, 0.1, 0.5).whole()
    assert not operator.apply(np.ones((3, 2))).any()


@pytest.mark.parametrize("count", [1, 8, 300])
@pytest.mark.parametrize("nodes", [300, 800])
def test_censored_operators_of_any_size_and_number_of_edges_are_right(
    nodes: int, count: int
) -> None:
    graph = grid_like(nodes, 5)
    gone = graph.pairs[np.random.default_rng(0).choice(len(graph.pairs), count, replace=False)]
    family = LevyFamily(graph.adjacency, 0.1, 0.3)
    reference = DenseLevyOperator(censor_pairs(graph.adjacency, gone), 0.1, 0.3)
    signal = random_signal(nodes)
    operator = family.censored(gone)
    np.testing.assert_allclose(operator.apply(signal), reference.apply(signal), atol=1e-6)
    transposed = reference.apply_transposed(signal)
    np.testing.assert_allclose(operator.apply_transposed(signal), transposed, atol=1e-6)


def test_the_matrix_of_a_larger_grid_comes_from_its_factors() -> None:
    graph = grid_like(800, 5)
    operator = LevyFamily(graph.adjacency, 0.1, 0.3).whole()
    reference = DenseLevyOperator(graph.adjacency, 0.1, 0.3)
    assert isinstance(operator, DenseLevyOperator)
    np.testing.assert_allclose(operator.matrix, reference.matrix, atol=1e-7)


def test_a_graph_that_fills_in_is_corrected_within_its_core() -> None:
    graph = tangle(900, 300)
    gone = graph.pairs[[3, 70, 600]]
    operator = LevyFamily(graph.adjacency, 0.1, 0.3, "sparse").censored(gone)
    assert isinstance(operator, SparseLevyOperator)
    assert isinstance(operator.power.factors, CensoredFactors)
    reference = DenseLevyOperator(censor_pairs(graph.adjacency, gone), 0.1, 0.3)
    signal = random_signal(graph.node_count)
    np.testing.assert_allclose(operator.apply(signal), reference.apply(signal), atol=1e-6)


def test_censored_graphs_with_a_core_are_corrected_within_it_beside_a_full_matrix() -> None:
    graph = tangle(900, 1500)
    family = LevyFamily(graph.adjacency, 0.1, 0.3)
    assert family.choice.kind == "corrected"
    family.expect(graph.pairs[:9])
    operator = family.censored(graph.pairs[:3])
    assert isinstance(operator, SparseLevyOperator)
    assert isinstance(operator.power.factors, CensoredFactors)


def test_an_operator_for_a_few_applications_has_no_matrix() -> None:
    graph = grid_like(800, 5)
    family = LevyFamily(graph.adjacency, 0.1, 0.3)
    signal = random_signal(800)
    operator = family.whole_once()
    assert isinstance(operator, SparseLevyOperator)
    np.testing.assert_allclose(operator.apply(signal), family.whole().apply(signal), atol=1e-7)
    assert isinstance(LevyFamily(path(9).adjacency, 0.1, 0.3).whole_once(), DenseLevyOperator)
