"""Factors around a dense core, against dense inverses and operators built anew."""

import numpy as np
import pytest

from ml.arrays import FloatArray, IntArray
from ml.graph.graph import Graph, censor_pairs
from ml.graph.laplacian import degrees_of, laplacian_of
from ml.levy.dense import DenseLevyOperator
from ml.levy.solver.core_factors import CensoredFactors, CoreFactors, factor_around_core
from ml.levy.solver.elimination import analyse
from ml.levy.solver.factors import WeightedLaplacian
from ml.levy.solver.ordering import order_nodes
from ml.levy.solver.powers import GraphPowers
from ml.levy.sparse import SparseLevyOperator
from tests.ml.grids import archipelago, random_signal, tangle

SHIFTS = np.array([1e-3, 0.01, 0.1, 1.0, 10.0])
RESIDUES = np.linspace(-2, 3, 5)


def with_islands() -> Graph:
    """A tangle of 400 nodes beside three small islands and an isolated node."""
    one, other = tangle(220, 180), archipelago()
    edges = np.concatenate([one.edges, other.edges + 400])
    return Graph(422, edges, np.concatenate([one.weights, other.weights]))


GRAPH = with_islands()


def laplacian_around_core(graph: Graph) -> WeightedLaplacian:
    elimination = analyse(order_nodes(graph.adjacency, core_products=0), graph.pairs)
    assert elimination.has_core
    weights = np.asarray(graph.adjacency[graph.pairs[:, 0], graph.pairs[:, 1]])
    return WeightedLaplacian(elimination, weights, degrees_of(graph.adjacency)[elimination.order])


def powers_around_core(graph: Graph, gamma: float) -> GraphPowers:
    powers = GraphPowers(
        graph.adjacency, gamma, ordering=order_nodes(graph.adjacency, core_products=0)
    )
    assert powers.elimination.has_core
    return powers


def inverse_sum(graph: Graph, order: IntArray) -> FloatArray:
    dense = laplacian_of(graph.adjacency).toarray()
    identity = np.eye(graph.node_count)
    parts = [r * np.linalg.inv(dense + t * identity) for r, t in zip(RESIDUES, SHIFTS, strict=True)]
    return np.asarray(np.sum(parts, axis=0)[np.ix_(order, order)])


def test_solves_and_diagonals_equal_those_of_dense_inverses() -> None:
    laplacian = laplacian_around_core(GRAPH)
    expected = inverse_sum(GRAPH, laplacian.elimination.order)
    factors = factor_around_core(laplacian, SHIFTS, RESIDUES, 1e-3)
    signal = random_signal(GRAPH.node_count, 70)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(factors.solve(signal), expected @ signal, atol=1e-10 * scale)
    np.testing.assert_allclose(factors.diagonal, np.diagonal(expected), atol=1e-10 * scale)


def test_eigenvalues_below_a_bound_are_counted() -> None:
    values = np.linalg.eigvalsh(laplacian_of(GRAPH.adjacency).toarray())
    bounds = np.array([1e-6, 1e-3, 0.0123, 0.1234, 0.5678, 1.2345, 3.456, 17.89])
    laplacian = laplacian_around_core(GRAPH)
    expected = (values[:, None] < bounds).sum(axis=0)
    np.testing.assert_array_equal(laplacian.count_below(bounds), expected)
    found = [factor_around_core(laplacian, SHIFTS, RESIDUES, bound).below for bound in bounds]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("gamma", [0.01, 0.1, 0.5, 0.999])
def test_the_operator_is_that_of_the_full_matrix(gamma: float) -> None:
    operator = SparseLevyOperator(powers_around_core(GRAPH, gamma).whole(), 0.3)
    reference = DenseLevyOperator(GRAPH.adjacency, gamma, 0.3)
    signal = random_signal(GRAPH.node_count)
    np.testing.assert_allclose(operator.apply(signal), reference.apply(signal), atol=1e-6)
    np.testing.assert_allclose(operator.diagonal(), reference.diagonal(), rtol=1e-6)


@pytest.mark.parametrize("count", [1, 12, 60])
@pytest.mark.parametrize("gamma", [0.1, 0.999])
def test_edges_anywhere_can_be_censored(gamma: float, count: int) -> None:
    powers = powers_around_core(GRAPH, gamma)
    gone = GRAPH.pairs[np.random.default_rng(1).choice(len(GRAPH.pairs), count, replace=False)]
    power = powers.censored(gone)
    reference = DenseLevyOperator(censor_pairs(GRAPH.adjacency, gone), gamma, 0.3)
    operator = SparseLevyOperator(power, 0.3)
    signal = random_signal(GRAPH.node_count)
    np.testing.assert_allclose(operator.apply(signal), reference.apply(signal), atol=1e-6)
    np.testing.assert_allclose(operator.diagonal(), reference.diagonal(), rtol=1e-6, atol=1e-9)


def test_a_correction_takes_the_place_of_new_factors() -> None:
    powers = powers_around_core(GRAPH, 0.1)
    assert isinstance(powers.whole().factors, CoreFactors)
    gone = GRAPH.pairs[[1, 5, 5, 200]]
    factors = powers.censored(gone).factors
    assert isinstance(factors, CensoredFactors)
    assert factors.whole is powers.whole().factors
    assert powers.censored(gone[:0]).factors.below == 5


def test_a_spectrum_below_the_reach_of_the_poles_is_factored_again() -> None:
    one, chain = tangle(220, 0), np.stack([np.arange(220, 519), np.arange(221, 520)], axis=1)
    hub = np.stack([np.zeros(300, dtype=np.int64), np.arange(220, 520)], axis=1)
    edges = np.concatenate([one.edges, chain, hub])
    graph = Graph(520, edges, np.concatenate([one.weights, np.ones(599)]))
    powers = powers_around_core(graph, 0.5)
    power = powers.censored(hub[1:])
    assert isinstance(power.factors, CoreFactors)
    reference = DenseLevyOperator(censor_pairs(graph.adjacency, hub[1:]), 0.5, 0.5)
    signal = random_signal(520)
    found = SparseLevyOperator(power, 0.5).apply(signal)
    np.testing.assert_allclose(found, reference.apply(signal), atol=1e-6)
