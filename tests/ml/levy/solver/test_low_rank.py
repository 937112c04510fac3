"""Powers of censored graphs as low-rank corrections, against powers built anew."""

import numpy as np
import pytest

from ml.arrays import FloatArray
from ml.graph.graph import Graph, censor_pairs
from ml.levy.corrected import CorrectedLevyOperator
from ml.levy.dense import DenseLevyOperator, fractional_laplacian
from ml.levy.solver.low_rank import LowRankPowers, PowerCorrection
from ml.levy.solver.ordering import order_nodes
from ml.levy.solver.powers import GraphPowers
from tests.ml.grids import archipelago, grid_like, path, random_signal, star, tangle

GRAPHS = {
    "islands": archipelago(),
    "weighted": grid_like(200, 3, spread=2.0),
    "path": path(40),
    "star": star(20),
}


def correct(graph: Graph, gamma: float, gone: list[int]) -> PowerCorrection:
    correction = LowRankPowers(GraphPowers(graph.adjacency, gamma)).correct(graph.pairs[gone])
    assert correction is not None
    return correction


def corrected_power(graph: Graph, gamma: float, correction: PowerCorrection) -> FloatArray:
    power = fractional_laplacian(graph.adjacency, gamma)
    return power + (correction.rows.T * correction.signs) @ correction.rows


@pytest.mark.parametrize("gamma", [0.01, 0.1, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("name", GRAPHS)
def test_the_corrected_power_is_that_of_the_censored_graph(name: str, gamma: float) -> None:
    graph = GRAPHS[name]
    gone = [0, 3, 7, len(graph.pairs) - 1]
    correction = correct(graph, gamma, gone)
    expected = fractional_laplacian(censor_pairs(graph.adjacency, graph.pairs[gone]), gamma)
    found = corrected_power(graph, gamma, correction)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(found, expected, atol=1e-6 * scale)
    np.testing.assert_allclose(correction.degrees, np.diagonal(expected), atol=1e-6 * scale)


def test_a_node_that_is_cut_off_loses_its_degree() -> None:
    graph = path(10)
    assert correct(graph, 0.3, [0]).degrees[0] == 0


@pytest.mark.parametrize("sigma", [0.0, 0.3, 1.0])
def test_the_corrected_operator_is_that_of_the_censored_graph(sigma: float) -> None:
    graph = archipelago()
    gone = [1, 6, 12]
    powers = LowRankPowers(GraphPowers(graph.adjacency, 0.2))
    correction = powers.correct(graph.pairs[gone])
    assert correction is not None
    operator = CorrectedLevyOperator(powers.whole, correction, sigma)
    reference = DenseLevyOperator(censor_pairs(graph.adjacency, graph.pairs[gone]), 0.2, sigma)
    signal = random_signal(22)
    np.testing.assert_allclose(operator.apply(signal), reference.apply(signal), atol=1e-6)
    np.testing.assert_allclose(
        operator.apply_transposed(signal), reference.apply_transposed(signal), atol=1e-6
    )
    np.testing.assert_allclose(operator.diagonal(), reference.diagonal(), atol=1e-6)
    assert (operator.gamma, operator.sigma, operator.node_count) == (0.2, sigma, 22)


def test_edges_censored_before_give_the_same_correction() -> None:
    graph = GRAPHS["weighted"]
    powers = LowRankPowers(GraphPowers(graph.adjacency, 0.1))
    first = powers.correct(graph.pairs[[2, 9, 11, 30, 4]])
    powers.correct(graph.pairs[[9, 30]])
    again = powers.correct(graph.pairs[[2, 9, 11, 30, 4]])
    alone = LowRankPowers(GraphPowers(graph.adjacency, 0.1))
    assert first is not None
    assert again is not None
    assert alone.correct(graph.pairs[[4]]) is not None
    later = alone.correct(graph.pairs[[2, 9, 11, 30, 4]])
    assert later is not None
    np.testing.assert_array_equal(first.rows, again.rows)
    np.testing.assert_array_equal(first.rows, later.rows)


def test_solving_ahead_changes_nothing() -> None:
    graph = GRAPHS["weighted"]
    ready, anew = (LowRankPowers(GraphPowers(graph.adjacency, 0.1)) for _ in range(2))
    ready.expect(graph.pairs[:40])
    one, other = (powers.correct(graph.pairs[[4, 9, 30]]) for powers in (ready, anew))
    assert one is not None
    assert other is not None
    np.testing.assert_array_equal(one.rows, other.rows)


def test_a_spectrum_that_sinks_below_the_poles_is_noticed() -> None:
    chain = path(400)
    hub = np.stack([np.zeros(398, dtype=np.int64), np.arange(2, 400)], axis=1)
    graph = Graph(400, np.vstack([chain.edges, hub]), np.ones(399 + 398))
    assert LowRankPowers(GraphPowers(graph.adjacency, 0.5)).correct(hub) is None


def test_a_graph_with_a_core_is_refused() -> None:
    adjacency = tangle(220, 20).adjacency
    powers = GraphPowers(adjacency, 0.5, ordering=order_nodes(adjacency, core_products=0))
    with pytest.raises(TypeError, match="core"):
        LowRankPowers(powers)
