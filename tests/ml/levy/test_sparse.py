"""The Lévy operator through sparse factors, against the dense one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ml.arrays import FloatArray, IntArray, SparseMatrix
from ml.errors import InvalidHyperparameter, ToleranceNotReached
from ml.graph.graph import Graph, censor_pairs
from ml.graph.laplacian import laplacian_of
from ml.levy.dense import DenseLevyOperator
from ml.levy.interface import LevyOperator
from ml.levy.solver.powers import GraphPowers
from ml.levy.solver.quadrature import apply_power
from ml.levy.sparse import SparseLevyOperator
from tests.ml.grids import (
    ISOLATED,
    archipelago,
    complete,
    connected_graphs,
    grid_like,
    ieee118,
    make_graph,
    path,
    random_signal,
    star,
)

GAMMAS = [0.001, 0.1, 0.5, 0.9, 0.999]
SIGMAS = [0.0, 0.3, 0.5, 1.0]
GRAPHS = {
    "islands": archipelago(),
    "path": path(60),
    "star": star(30),
    "complete": complete(9),
    "weighted": grid_like(300, 3, spread=2.0),
    "pairs": make_graph([(0, 1), (2, 3), (4, 5)], 8),
    "ieee118": ieee118(),
}


def build(adjacency: SparseMatrix, gamma: float, sigma: float) -> SparseLevyOperator:
    return SparseLevyOperator(GraphPowers(adjacency, gamma).whole(), sigma)


def centred(graph_islands: IntArray, degrees: FloatArray, power: float) -> FloatArray:
    """Signals that lose nothing when the scaled operator takes out the means of islands."""
    signal = random_signal(len(degrees), 6)
    for island in np.unique(graph_islands):
        members = graph_islands == island
        signal[members] -= signal[members].mean(axis=0)
    return signal * np.where(degrees > 0, degrees, 1)[:, None] ** power


def relative_error(operator: LevyOperator, reference: LevyOperator, graph: Graph) -> float:
    """|(Lt - Lt_ref) X| / |Lt_ref X| on signals without the null space."""
    signal = centred(graph.islands, reference.diagonal(), 1 - reference.sigma)
    expected = reference.apply(signal)
    difference = operator.apply(signal) - expected
    scale = np.linalg.norm(expected)
    if scale < 1e-12:  # two nodes: Lt is the constant walk between them
        scale = np.linalg.norm(signal)
    return float(np.linalg.norm(difference) / scale)


@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.parametrize("name", GRAPHS)
def test_the_sparse_operator_equals_the_dense_one(name: str, gamma: float) -> None:
    graph = GRAPHS[name]
    for sigma in SIGMAS:
        reference = DenseLevyOperator(graph.adjacency, gamma, sigma)
        operator = build(graph.adjacency, gamma, sigma)
        assert relative_error(operator, reference, graph) < 1e-6


@settings(max_examples=40, deadline=None)
@given(connected_graphs(), st.sampled_from(GAMMAS), st.floats(0, 1))
def test_any_connected_graph_gives_the_dense_operator(
    graph: Graph, gamma: float, sigma: float
) -> None:
    reference = DenseLevyOperator(graph.adjacency, gamma, sigma)
    operator = build(graph.adjacency, gamma, sigma)
    identity = np.eye(graph.node_count)
    scale = np.abs(reference.matrix).max()
    np.testing.assert_allclose(operator.apply(identity), reference.matrix, atol=1e-6 * scale)


@pytest.mark.parametrize("sigma", SIGMAS)
def test_the_transposed_operator_is_the_transpose(sigma: float) -> None:
    graph = archipelago()
    operator = build(graph.adjacency, 0.3, sigma)
    left, right = random_signal(22, 4, seed=1), random_signal(22, 5, seed=2)
    forward = left.T @ operator.apply(right)
    backward = operator.apply_transposed(left).T @ right
    np.testing.assert_allclose(forward, backward, atol=1e-13)


@pytest.mark.parametrize("gamma", GAMMAS)
def test_the_degrees_are_the_diagonal_of_the_power(gamma: float) -> None:
    graph = GRAPHS["weighted"]
    expected = DenseLevyOperator(graph.adjacency, gamma, 0.5).diagonal()
    operator = build(graph.adjacency, gamma, 0.5)
    np.testing.assert_allclose(operator.diagonal(), expected, rtol=1e-6)


def test_rows_of_the_walk_sum_to_one_in_every_island() -> None:
    graph = archipelago()
    sums = build(graph.adjacency, 0.2, 1.0).apply(np.ones((22, 1)))[:, 0]
    np.testing.assert_allclose(np.delete(sums, ISOLATED), 1, rtol=1e-13)


def test_an_isolated_node_has_neither_row_nor_column_nor_degree() -> None:
    operator = build(archipelago().adjacency, 0.2, 0.3)
    matrix = operator.apply(np.eye(22))
    assert operator.diagonal()[ISOLATED] == 0
    assert not matrix[ISOLATED].any()
    assert not matrix[:, ISOLATED].any()


def test_two_nodes_far_from_a_large_island_keep_their_walk() -> None:
    chain = path(2000)
    edges = np.vstack([chain.edges, [[2000, 2001]]])
    graph = Graph(2002, edges, np.append(chain.weights, 5.0))
    operator = build(graph.adjacency, 0.1, 0.5)
    np.testing.assert_allclose(operator.diagonal()[2000:], 10**0.1 / 2, rtol=1e-8)
    signal = np.zeros((2002, 1))
    signal[2000] = 1
    np.testing.assert_allclose(operator.apply(signal)[2000:, 0], [0, 1], atol=1e-8)


def test_scaling_all_weights_does_not_change_the_operator() -> None:
    graph = GRAPHS["weighted"]
    signal = random_signal(300)
    operator = build(graph.adjacency, 0.1, 0.3)
    scaled = build(graph.adjacency * 1e-5, 0.1, 0.3)
    np.testing.assert_allclose(scaled.apply(signal), operator.apply(signal), atol=1e-12)


def test_one_column_and_many_columns_agree() -> None:
    graph = GRAPHS["weighted"]
    operator = build(graph.adjacency, 0.1, 0.5)
    signal = random_signal(300, 37)
    together = operator.apply(signal)
    for column in (0, 17, 36):
        alone = operator.apply(signal[:, [column]])[:, 0]
        np.testing.assert_allclose(together[:, column], alone, atol=1e-14)
    np.testing.assert_allclose(operator.apply(signal[:, 0]), together[:, 0], atol=1e-14)


def test_results_do_not_depend_on_the_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = grid_like(3000, 5)
    signal = random_signal(3000, 20)
    results = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        results.append(build(graph.adjacency, 0.1, 0.5).apply(signal))
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


def test_the_operator_agrees_with_the_quadrature_on_a_larger_grid() -> None:
    graph = grid_like(2000, 7)
    powers = GraphPowers(graph.adjacency, 0.1)
    operator = SparseLevyOperator(powers.whole(), 1.0)
    signal = random_signal(2000, 4)
    signal -= signal.mean(axis=0)
    lowest = powers.lowest * powers.scale
    power = apply_power(graph.adjacency, 0.1, signal, lowest)
    expected = signal - power / operator.diagonal()[:, None]
    difference = np.linalg.norm(operator.apply(signal) - expected)
    assert difference < 1e-6 * np.linalg.norm(expected)


def censor(graph: Graph, gone: IntArray, gamma: float, sigma: float) -> SparseLevyOperator:
    return SparseLevyOperator(GraphPowers(graph.adjacency, gamma).censored(gone), sigma)


def random_pairs(graph: Graph, count: int, seed: int) -> IntArray:
    generator = np.random.default_rng(seed)
    chosen = generator.choice(len(graph.pairs), count, replace=False)
    return graph.pairs[np.sort(chosen)]


@pytest.mark.parametrize("count", [1, 10, 150])
def test_a_censored_operator_equals_one_built_from_the_censored_graph(count: int) -> None:
    graph = GRAPHS["weighted"]
    gone = random_pairs(graph, count, seed=count)
    smaller = censor_pairs(graph.adjacency, gone)
    operator = censor(graph, gone, 0.1, 0.3)
    reference = DenseLevyOperator(smaller, 0.1, 0.3)
    signal = random_signal(300)
    np.testing.assert_allclose(operator.apply(signal), reference.apply(signal), atol=1e-7)
    np.testing.assert_allclose(operator.diagonal(), reference.diagonal(), rtol=1e-6)


def test_censoring_every_edge_leaves_isolated_nodes() -> None:
    graph = archipelago()
    operator = censor(graph, graph.pairs, 0.1, 0.5)
    assert not operator.apply(random_signal(22)).any()


def test_censoring_accepts_pairs_in_either_direction() -> None:
    graph = GRAPHS["weighted"]
    gone = random_pairs(graph, 5, seed=0)
    signal = random_signal(300)
    forward = censor(graph, gone, 0.1, 0.5).apply(signal)
    backward = censor(graph, gone[:, ::-1], 0.1, 0.5).apply(signal)
    np.testing.assert_array_equal(forward, backward)


def test_a_censored_graph_may_have_a_far_smaller_eigenvalue() -> None:
    chain = path(400)
    hub = np.stack([np.zeros(398, dtype=np.int64), np.arange(2, 400)], axis=1)
    graph = Graph(400, np.vstack([chain.edges, hub]), np.ones(399 + 398))
    operator = censor(graph, hub, 0.5, 0.5)
    gaps = [np.linalg.eigvalsh(laplacian_of(one.adjacency).toarray())[1] for one in (graph, chain)]
    assert gaps[0] > 10_000 * gaps[1]
    assert relative_error(operator, DenseLevyOperator(chain.adjacency, 0.5, 0.5), chain) < 1e-6


def test_an_exponent_outside_its_interval_is_refused() -> None:
    with pytest.raises(InvalidHyperparameter, match="gamma"):
        GraphPowers(path(4).adjacency, 1.5)
    with pytest.raises(InvalidHyperparameter, match="sigma"):
        build(path(4).adjacency, 0.5, -1.0)


def test_an_accuracy_beyond_double_precision_is_named() -> None:
    with pytest.raises(ToleranceNotReached, match="requested"):
        GraphPowers(path(50).adjacency, 0.1, accuracy=1e-15).whole()
