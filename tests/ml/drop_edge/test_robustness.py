"""Percolation criticality and the impact of an edge on the giant component."""

from itertools import permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from ml.arrays import FloatArray
from ml.drop_edge.robustness import giant_component_impact, percolation_criticality
from ml.graph.graph import Graph
from tests.ml.grids import (
    archipelago,
    complete,
    connected_graphs,
    grid_like,
    make_graph,
    path,
    ring,
    star,
)


def exact_criticality(graph: Graph) -> FloatArray:
    """The mean over every order of the edges, components found by networkx."""
    pairs = [tuple(pair) for pair in graph.pairs.tolist()]
    joined = np.zeros(len(pairs))
    orders = list(permutations(range(len(pairs))))
    for order in orders:
        network = nx.empty_graph(graph.node_count)
        for edge in order:
            one, other = (nx.node_connected_component(network, node) for node in pairs[edge])
            joined[edge] += 0 if one == other else len(one) * len(other)
            network.add_edge(*pairs[edge])
    return joined / len(orders)


def impact_by_search(graph: Graph) -> list[int]:
    network = nx.empty_graph(graph.node_count)
    network.add_edges_from(graph.pairs.tolist())

    def giant() -> int:
        return max(len(island) for island in nx.connected_components(network))

    whole = giant()
    impacts = []
    for pair in graph.pairs.tolist():
        network.remove_edge(*pair)
        impacts.append(whole - giant())
        network.add_edge(*pair)
    return impacts


def connected_pairs(graph: Graph) -> int:
    sizes = np.bincount(graph.islands)
    return int((sizes * (sizes - 1)).sum()) // 2


# Percolation


def test_criticality_agrees_with_every_order_of_the_edges() -> None:
    graph = make_graph([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (5, 6)])
    runs = np.stack([percolation_criticality(graph, seed, orders=50) for seed in range(200)])
    error = runs.std(axis=0) / np.sqrt(len(runs))
    difference = np.abs(runs.mean(axis=0) - exact_criticality(graph))
    assert (difference <= 5 * error + 1e-9).all()


@pytest.mark.parametrize("graph", [archipelago(), grid_like(60, 3), complete(6), path(9)])
def test_criticalities_add_up_to_the_connected_pairs(graph: Graph) -> None:
    assert percolation_criticality(graph, seed=1).sum() == pytest.approx(connected_pairs(graph))


def test_the_only_link_between_two_halves_is_the_most_critical() -> None:
    halves = [(i, j) for i in range(5) for j in range(i + 1, 5)]
    graph = make_graph([*halves, *((i + 5, j + 5) for i, j in halves), (4, 5)])
    criticality = percolation_criticality(graph, seed=0)
    assert graph.pairs[criticality.argmax()].tolist() == [4, 5]


# Giant component


def test_cutting_a_path_costs_the_shorter_part() -> None:
    np.testing.assert_array_equal(giant_component_impact(path(6)), [1, 2, 3, 2, 1])


def test_cutting_a_ring_costs_nothing() -> None:
    np.testing.assert_array_equal(giant_component_impact(ring(6)), 0)


def test_cutting_a_leaf_off_a_star_costs_one_node() -> None:
    np.testing.assert_array_equal(giant_component_impact(star(5)), 1)


def test_a_rival_island_takes_over_when_the_giant_breaks() -> None:
    # Islands of 6 and 5 nodes: cutting the 6 in halves leaves 5 as the largest.
    graph = make_graph([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (6, 7), (7, 8), (8, 9), (9, 10)])
    np.testing.assert_array_equal(giant_component_impact(graph)[:5], 1)


def test_of_two_islands_of_equal_size_neither_edge_matters() -> None:
    np.testing.assert_array_equal(giant_component_impact(make_graph([(0, 1), (2, 3)])), 0)


@given(graph=connected_graphs(largest=16))
@settings(max_examples=60, deadline=None)
def test_the_impact_agrees_with_removing_each_edge(graph: Graph) -> None:
    np.testing.assert_array_equal(giant_component_impact(graph), impact_by_search(graph))


@pytest.mark.parametrize("graph", [archipelago(), grid_like(120, 5)])
def test_the_impact_in_larger_graphs_agrees_with_removing_each_edge(graph: Graph) -> None:
    np.testing.assert_array_equal(giant_component_impact(graph), impact_by_search(graph))
