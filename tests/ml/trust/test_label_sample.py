import networkx as nx
import numpy as np
import pytest

from ml.arrays import IntArray
from ml.trust.label_sample import exceeds_range, is_random_sample, measure_distances


def grid_edges(side: int) -> IntArray:
    places = np.arange(side * side).reshape(side, side)
    across = np.column_stack([places[:, :-1].ravel(), places[:, 1:].ravel()])
    return np.concatenate([across, np.column_stack([places[:-1].ravel(), places[1:].ravel()])])


@pytest.mark.parametrize("seed", range(5))
def test_distances_are_those_of_a_search_from_every_node(seed: int) -> None:
    generator = np.random.default_rng(seed)
    graph = nx.gnm_random_graph(60, 75, seed=seed)
    edges = np.array(graph.edges)
    known = np.sort(generator.choice(60, 8, replace=False))
    found = measure_distances(60, edges, known)
    length = dict(nx.all_pairs_shortest_path_length(graph))
    inf = float("inf")
    nearest = [min(length[node].get(one, inf) for one in known.tolist()) for node in range(60)]
    assert found.nearest.tolist() == nearest
    apart = [
        min(length[node].get(one, inf) for one in known.tolist() if one != node)
        for node in known.tolist()
    ]
    assert found.apart.tolist() == apart


def test_nodes_of_one_group_are_not_apart() -> None:
    path = np.column_stack([np.arange(9), np.arange(1, 10)])
    found = measure_distances(10, path, np.array([0, 1, 7]), np.array([4, 4, 9]))
    assert found.apart.tolist() == [6, 6]


def test_an_island_without_labels_is_infinitely_far() -> None:
    found = measure_distances(4, np.array([[0, 1], [2, 3]]), np.array([0]))
    assert found.nearest.tolist() == [0, 1, np.inf, np.inf]
    assert found.apart.tolist() == [np.inf]
    nothing = measure_distances(2, np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.int64))
    assert nothing.nearest.tolist() == [np.inf] * 2


def looks_random(side: int, known: IntArray) -> bool:
    return is_random_sample(side * side, grid_edges(side), np.sort(known))


@pytest.mark.parametrize("count", [12, 40, 200])
def test_random_labels_are_not_suspected(count: int) -> None:
    generator = np.random.default_rng(count)
    samples = [generator.choice(900, count, replace=False) for _ in range(20)]
    assert all(looks_random(30, known) for known in samples)


@pytest.mark.parametrize("count", [12, 40, 200])
def test_labels_in_one_corner_are_detected(count: int) -> None:
    rows, columns = np.divmod(np.arange(900), 30)
    corner = np.flatnonzero((rows < 15) & (columns < 15))
    generator = np.random.default_rng(count)
    for _ in range(10):
        assert not looks_random(30, generator.choice(corner, count, replace=False))


def test_without_unlabelled_nodes_there_is_nothing_to_compare() -> None:
    assert looks_random(3, np.arange(9))
    assert looks_random(3, np.arange(0))


def test_random_groups_are_not_suspected_although_their_nodes_are_close() -> None:
    """Squares of nine nodes each: close to each other, but the squares are drawn at random."""
    rows, columns = np.divmod(np.arange(900), 30)
    groups = rows // 3 * 10 + columns // 3
    chosen = np.random.default_rng(0).choice(100, 15, replace=False)
    known = np.flatnonzero(np.isin(groups, chosen))
    assert is_random_sample(900, grid_edges(30), known, groups)
    assert not looks_random(30, known)


def test_a_value_far_beyond_the_known_ones_is_outside() -> None:
    features = np.array(
        [[0.0, 1.0], [10.0, 1.0], [14.9, 1.0], [15.1, 1.0], [5.0, 2.0], [-6.0, 1.0]]
    )
    outside = exceeds_range(features, np.array([0, 1]))
    assert outside.tolist() == [False, False, False, True, True, True]
    assert not exceeds_range(np.zeros((3, 0)), np.array([0])).any()
