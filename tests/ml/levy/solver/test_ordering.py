"""The order of elimination and the dense core it may end with."""

import numpy as np

from ml.levy.solver.elimination import analyse
from ml.levy.solver.ordering import order_nodes
from tests.ml.grids import grid_like, path, tangle


def test_trees_have_no_core_and_grids_are_not_searched_for_one() -> None:
    assert order_nodes(path(500).adjacency, core_products=0).fill.core == 0
    assert order_nodes(grid_like(2000, 0).adjacency).fill.core == 0


def test_the_core_of_a_tangle_is_found() -> None:
    graph = tangle(200, 300)
    plain = order_nodes(graph.adjacency).fill
    around = order_nodes(graph.adjacency, core_products=0).fill
    assert plain.core == 0
    assert 50 < around.core < 200
    assert around.products < plain.products / 5
    assert around.stored == around.entries + around.core**2


def test_a_core_comes_last_and_the_order_names_every_node_once() -> None:
    graph = tangle(200, 300)
    ordering = order_nodes(graph.adjacency, core_products=0)
    np.testing.assert_array_equal(np.sort(ordering.order), np.arange(500))
    core = ordering.order[len(ordering.counts) :]
    assert (core < 200).all()
    above = ordering.parents[: len(ordering.counts)]
    assert ((above == -1) | (above > np.arange(len(above)))).all()


def test_the_pattern_around_a_core_is_that_of_the_plain_order_there() -> None:
    graph = tangle(200, 300)
    around = analyse(order_nodes(graph.adjacency, core_products=0), graph.pairs)
    plain = analyse(order_nodes(graph.adjacency), graph.pairs)
    place = np.empty(500, dtype=np.int64)
    place[plain.order] = np.arange(500)
    for node in range(0, around.fringe, 17):
        first, last = around.pattern.starts[node : node + 2]
        known = place[around.order[node]]
        start, end = plain.pattern.starts[known : known + 2]
        rows, expected = around.pattern.rows[first:last], plain.pattern.rows[start:end]
        assert rows.tolist() == sorted(rows.tolist())
        assert set(around.order[rows]) == set(plain.order[expected])


def test_edges_within_the_core_have_no_entry() -> None:
    graph = tangle(200, 300)
    elimination = analyse(order_nodes(graph.adjacency, core_products=0), graph.pairs)
    inner = np.setdiff1d(np.arange(len(graph.pairs)), elimination.outer)
    assert len(inner)
    assert (elimination.pairs[inner] >= elimination.fringe).all()
    assert (elimination.pairs[elimination.outer, 1] < elimination.fringe).all()
    rows = elimination.pattern.rows[elimination.entries]
    np.testing.assert_array_equal(rows, elimination.pairs[elimination.outer, 0])
