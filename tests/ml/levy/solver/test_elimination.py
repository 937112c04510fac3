"""The pattern of the factors of a graph."""

import numpy as np
import pytest

from ml.graph.graph import Graph
from ml.levy.solver.elimination import analyse
from ml.levy.solver.ordering import order_nodes
from tests.ml.grids import archipelago, complete, grid_like, path, star

GRAPHS = [archipelago(), complete(8), path(30), star(12), grid_like(200, 4)]


def fill_of(graph: Graph) -> set[tuple[int, int]]:
    """Eliminate the nodes one after another with sets: (later, earlier) in elimination order."""
    order = analyse(order_nodes(graph.adjacency), graph.pairs).order
    place = {int(node): position for position, node in enumerate(order)}
    later: list[set[int]] = [set() for _ in order]
    for one, other in graph.pairs:
        first, last = sorted((place[int(one)], place[int(other)]))
        later[first].add(last)
    for position in range(len(order)):
        for near in later[position]:
            later[near] |= {far for far in later[position] if far > near}
    return {(last, first) for first, rest in enumerate(later) for last in rest}


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: str(graph.node_count))
def test_the_pattern_is_that_of_an_elimination_by_sets(graph: Graph) -> None:
    pattern = analyse(order_nodes(graph.adjacency), graph.pairs).pattern
    columns = np.repeat(np.arange(graph.node_count), np.diff(pattern.starts))
    found = set(zip(pattern.rows.tolist(), columns.tolist(), strict=True))
    assert found == fill_of(graph)


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: str(graph.node_count))
def test_the_rows_of_a_column_are_among_those_of_its_first_row(graph: Graph) -> None:
    pattern = analyse(order_nodes(graph.adjacency), graph.pairs).pattern
    columns = [
        pattern.rows[first:last].tolist()
        for first, last in zip(pattern.starts[:-1], pattern.starts[1:], strict=True)
    ]
    for rows in columns:
        assert rows == sorted(rows)
        assert set(rows[1:]) <= set(columns[rows[0]] if rows else [])


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: str(graph.node_count))
def test_every_edge_finds_its_entry(graph: Graph) -> None:
    elimination = analyse(order_nodes(graph.adjacency), graph.pairs)
    pattern = elimination.pattern
    columns = np.repeat(np.arange(graph.node_count), np.diff(pattern.starts))
    entries = elimination.entries
    found = np.stack([pattern.rows[entries], columns[entries]], axis=1)
    np.testing.assert_array_equal(found, elimination.pairs)
    ends = np.sort(elimination.order[elimination.pairs], axis=1)
    np.testing.assert_array_equal(ends, graph.pairs)


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: str(graph.node_count))
def test_the_fill_is_measured_without_the_pattern(graph: Graph) -> None:
    pattern = analyse(order_nodes(graph.adjacency), graph.pairs).pattern
    fill = order_nodes(graph.adjacency).fill
    lengths = np.diff(pattern.starts)
    assert fill.entries == len(pattern.rows)
    assert fill.products == (lengths * (lengths + 1) // 2).sum()


def test_a_tree_fills_in_nothing() -> None:
    assert order_nodes(star(40).adjacency).fill.entries == 40
    assert order_nodes(path(40).adjacency).fill.entries == 39
