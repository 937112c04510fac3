"""P-DropEdge (Algorithm 1) and uniform DropEdge."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ml.arrays import FloatArray, IntArray
from ml.config.settings import DropEdge, Rounding
from ml.drop_edge.dropper import EdgeDropper, make_dropper, top_edges
from ml.drop_edge.scores import edge_betweenness, score_edges
from ml.errors import InvalidHyperparameter
from ml.graph.graph import censor_pairs
from ml.methods.registry import make_config
from tests.ml.grids import archipelago, grid_like, make_graph, path


def dropper(
    scores: FloatArray,
    rate: float,
    top: float,
    rounding: Rounding = "at_least_one",
    kind: DropEdge = "preferential",
) -> EdgeDropper:
    pairs = np.stack([np.arange(len(scores)), np.arange(1, len(scores) + 1)], axis=1)
    return EdgeDropper(pairs, scores, rate, top, rounding, kind)


def draws(drop: EdgeDropper, count: int) -> list[IntArray]:
    generator = np.random.default_rng(0)
    return [drop.draw(generator) for _ in range(count)]


def inclusion_by_successive_draws(weights: FloatArray, size: int) -> FloatArray:
    """The chance of each edge to be among ``size`` successive weighted draws."""
    chances = np.zeros(len(weights))
    for order in permutations(range(len(weights)), size):
        probability, left = 1.0, 1.0
        for edge in order:
            probability *= weights[edge] / left
            left -= weights[edge]
        chances[list(order)] += probability
    return chances


# Candidates and weights


@pytest.mark.parametrize(
    ("edges", "top", "count"), [(10, 0.3, 3), (10, 0.31, 4), (10, 0.01, 1), (100, 0.07, 7)]
)
def test_the_candidates_are_the_top_share_rounded_up(edges: int, top: float, count: int) -> None:
    assert len(top_edges(np.arange(edges, dtype=float), top)) == count


def test_candidates_are_the_highest_scores_and_ties_go_by_position() -> None:
    scores = np.array([5.0, 1, 7, 5, 5, 0, 0, 0, 0, 0])
    assert top_edges(scores, 0.3).tolist() == [2, 0, 3]


def test_weights_are_the_shares_of_the_candidates() -> None:
    drop = dropper(np.array([6.0, 1, 3, 1]), rate=0.5, top=0.5)
    assert drop.candidates.tolist() == [0, 2]
    np.testing.assert_allclose(drop.weights, [2 / 3, 1 / 3])


@given(scores=st.lists(st.floats(0, 1e308), min_size=1, max_size=30), top=st.floats(0.01, 1))
@settings(deadline=None)
def test_weights_sum_to_one_unless_every_candidate_scores_zero(
    scores: list[float], top: float
) -> None:
    drop = dropper(np.asarray(scores), rate=0.5, top=top)
    expected = 1 if max(scores) > 0 else 0
    assert drop.weights.sum() == pytest.approx(expected)


# How many


@pytest.mark.parametrize(
    ("edges", "rate", "top", "count"),
    [(100, 0.5, 0.2, 10), (100, 0.01, 0.02, 1), (100, 0.31, 0.08, 2), (10, 1.0, 1.0, 10)],
)
def test_the_sample_is_rounded_and_never_empty(
    edges: int, rate: float, top: float, count: int
) -> None:
    drop = dropper(np.arange(1.0, edges + 1), rate, top)
    assert {len(drawn) for drawn in draws(drop, 20)} == {count}


def test_floor_takes_the_small_network_rates_literally_and_drops_nothing() -> None:
    # The paper: p = 1 %, tau = 2 % of the 182 edges of IEEE 118 is 0.04 of an edge.
    drop = dropper(np.arange(1.0, 183), rate=0.01, top=0.02, rounding="floor")
    assert drop.expected_count == pytest.approx(0.0364)
    assert {len(drawn) for drawn in draws(drop, 50)} == {0}


def test_floor_is_not_fooled_by_round_off() -> None:
    drop = dropper(np.arange(1.0, 101), rate=0.7, top=0.1, rounding="floor")
    assert 0.7 * 0.1 * 100 < 7
    assert {len(drawn) for drawn in draws(drop, 5)} == {7}


def test_stochastic_rounding_keeps_the_mean() -> None:
    drop = dropper(np.arange(1.0, 101), rate=0.13, top=0.1, rounding="stochastic")
    sizes = Counter(len(drawn) for drawn in draws(drop, 4000))
    assert set(sizes) == {1, 2}
    assert sizes[2] / 4000 == pytest.approx(0.3, abs=0.04)


@pytest.mark.parametrize("rounding", ["at_least_one", "floor", "stochastic"])
def test_a_rate_of_zero_drops_nothing(rounding: Rounding) -> None:
    drop = dropper(np.arange(1.0, 11), rate=0, top=0.5, rounding=rounding)
    assert {len(drawn) for drawn in draws(drop, 10)} == {0}


# Which


def test_draws_are_candidates_without_repetition_in_ascending_order() -> None:
    drop = dropper(np.random.default_rng(1).random(60), rate=0.5, top=0.4)
    for drawn in draws(drop, 50):
        assert set(drawn) <= set(drop.candidates)
        assert (np.diff(drawn) > 0).all()


def test_edges_are_drawn_as_often_as_successive_weighted_draws_would() -> None:
    drop = dropper(np.array([8.0, 4, 2, 1, 0.5]), rate=0.4, top=1)
    runs = 20_000
    counts = np.bincount(np.concatenate(draws(drop, runs)), minlength=5)
    expected = inclusion_by_successive_draws(drop.weights, size=2)
    error = np.sqrt(expected * (1 - expected) / runs)
    assert (np.abs(counts / runs - expected) < 5 * error).all()


def test_zero_weights_fill_up_uniformly_only_after_all_positive_ones() -> None:
    drop = dropper(np.array([0.0, 3, 0, 0, 1]), rate=0.6, top=1)
    drawn = draws(drop, 6000)
    assert all({1, 4} <= set(edges) for edges in drawn)
    fillers = Counter(int(edge) for edges in drawn for edge in edges if edge not in {1, 4})
    assert all(fillers[edge] / 6000 == pytest.approx(1 / 3, abs=0.03) for edge in (0, 2, 3))


def test_scores_that_are_all_zero_are_drawn_uniformly() -> None:
    drawn = np.concatenate(draws(dropper(np.zeros(4), rate=0.25, top=1), 4000))
    shares = np.bincount(drawn, minlength=4) / 4000
    np.testing.assert_allclose(shares, 0.25, atol=0.04)


def test_equal_generators_draw_equally_and_a_generator_moves_on() -> None:
    drop = dropper(np.random.default_rng(1).random(60), rate=0.5, top=0.4)
    first, second = draws(drop, 2)
    again = draws(drop, 2)
    np.testing.assert_array_equal(first, again[0])
    assert not np.array_equal(first, second)


# Uniform DropEdge


def test_uniform_dropping_draws_from_all_edges_with_equal_probability() -> None:
    drop = dropper(np.arange(40.0), rate=0.1, top=0.02, kind="uniform")
    drawn = draws(drop, 5000)
    assert {len(edges) for edges in drawn} == {4}
    shares = np.bincount(np.concatenate(drawn), minlength=40) / 5000
    np.testing.assert_allclose(shares, 0.1, atol=0.02)


def test_uniform_dropping_needs_no_scores_and_takes_at_least_one() -> None:
    drop = EdgeDropper(path(6).pairs, None, 0.01, 0.02, "at_least_one", "uniform")
    assert {len(drawn) for drawn in draws(drop, 10)} == {1}


def test_the_kind_none_drops_nothing() -> None:
    drop = EdgeDropper(path(6).pairs, None, 0.5, 0.5, "at_least_one", "none")
    assert draws(drop, 1)[0].tolist() == []


# From a configuration


def test_a_configuration_ranks_edges_by_betweenness_by_default() -> None:
    graph = grid_like(40, 3)
    drop = make_dropper(graph, make_config(drop_rate=0.5, drop_top=0.1))
    assert drop is not None
    np.testing.assert_array_equal(drop.candidates, top_edges(edge_betweenness(graph), 0.1))


def test_a_configuration_can_name_another_score() -> None:
    graph = grid_like(40, 3)
    config = make_config(drop_rate=0.5, drop_top=0.1, edge_score="percolation", seed=4)
    drop = make_dropper(graph, config)
    assert drop is not None
    expected = top_edges(score_edges(graph, "percolation", 4), 0.1)
    np.testing.assert_array_equal(drop.candidates, expected)


def test_a_users_own_scores_replace_those_of_the_configuration() -> None:
    graph = grid_like(40, 3)
    own = np.arange(len(graph.pairs), dtype=float)
    drop = make_dropper(graph, make_config(drop_rate=0.5, drop_top=0.1), own)
    assert drop is not None
    assert drop.candidates[0] == len(graph.pairs) - 1


@pytest.mark.parametrize(("nodes", "share"), [(40, 0.01 * 0.02), (2000, 0.05 * 0.06)])
def test_the_rates_follow_the_rule_of_thumb_of_the_paper(nodes: int, share: float) -> None:
    graph = path(nodes)
    drop = make_dropper(graph, make_config(), np.ones(nodes - 1))
    assert drop is not None
    assert drop.expected_count == pytest.approx(share * (nodes - 1))


def test_no_dropper_is_made_when_nothing_is_to_be_dropped() -> None:
    assert make_dropper(path(5), make_config(drop_edge="none")) is None
    assert make_dropper(make_graph([], 3), make_config()) is None


def test_a_drawn_pair_leaves_the_graph_in_both_directions() -> None:
    graph = archipelago()
    drop = make_dropper(graph, make_config(drop_rate=0.5, drop_top=0.5))
    assert drop is not None
    drawn = drop.draw(np.random.default_rng(0))
    left = censor_pairs(graph.adjacency, graph.pairs[drawn])
    assert left.nnz == graph.adjacency.nnz - 2 * len(drawn)
    for one, other in graph.pairs[drawn].tolist():
        assert left[one, other] == left[other, one] == 0


# What is refused


@pytest.mark.parametrize(
    ("rate", "top", "where"), [(-0.1, 0.5, ["drop_rate"]), (1.1, 0.0, ["drop_rate", "drop_top"])]
)
def test_rates_outside_their_interval_are_all_named(
    rate: float, top: float, where: list[str]
) -> None:
    with pytest.raises(InvalidHyperparameter) as caught:
        dropper(np.ones(4), rate, top)
    assert [fault.where for fault in caught.value.faults] == where


@pytest.mark.parametrize(
    "scores", [np.ones(3), np.array([1, -1, 1, 1.0]), np.full(4, np.nan), None]
)
def test_scores_that_do_not_fit_the_edges_are_refused(scores: FloatArray | None) -> None:
    pairs = path(5).pairs
    with pytest.raises(InvalidHyperparameter, match="scores"):
        EdgeDropper(pairs, scores, 0.5, 0.5, "at_least_one", "preferential")
