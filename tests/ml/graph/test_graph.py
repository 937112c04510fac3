"""The graph: its symmetric weights, pairs, islands, hashes and faults."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ml.arrays import IntArray
from ml.errors import InvalidGraph
from ml.graph.graph import Graph, censor_pairs, members_of_islands
from tests.ml.grids import ISOLATED, archipelago, connected_graphs, ieee118, make_graph, path


def labelled_graph() -> Graph:
    return Graph(
        4,
        np.array([[0, 1], [1, 2], [2, 3]]),
        np.array([1.0, 2.0, 3.0]),
        features=np.arange(8.0).reshape(4, 2),
        feature_names=("load", "voltage"),
        labels=np.array([0, -1, 1, -1]),
        class_names=("weak", "strong"),
    )


def faults_of(**parts: Any) -> list[tuple[str, str]]:
    with pytest.raises(InvalidGraph) as caught:
        replace(labelled_graph(), **parts)
    return [(fault.where, fault.problem) for fault in caught.value.faults]


# Adjacency


def test_an_undirected_edge_stands_in_both_directions() -> None:
    graph = Graph(3, np.array([[1, 0], [1, 2]]), np.array([2.0, 3.0]))
    np.testing.assert_array_equal(graph.adjacency.toarray(), [[0, 2, 0], [2, 0, 3], [0, 3, 0]])


def test_a_directed_graph_is_averaged_with_its_transpose() -> None:
    edges = np.array([[0, 1], [1, 0], [1, 2]])
    graph = Graph(3, edges, np.array([2.0, 4.0, 3.0]), directed=True)
    one_way = np.array([[0, 2, 0], [4, 0, 3], [0, 0, 0]])
    np.testing.assert_array_equal(graph.adjacency.toarray(), (one_way + one_way.T) / 2)


def test_parallel_circuits_add_their_weights_whichever_way_they_are_written() -> None:
    graph = Graph(2, np.array([[0, 1], [0, 1], [1, 0]]), np.array([1.0, 2.0, 4.0]))
    np.testing.assert_array_equal(graph.adjacency.toarray(), [[0, 7], [7, 0]])


@given(graph=connected_graphs(), directed=st.booleans())
@settings(max_examples=40, deadline=None)
def test_the_adjacency_is_symmetric_with_a_zero_diagonal(graph: Graph, directed: bool) -> None:
    weights = replace(graph, directed=directed).adjacency.toarray()
    np.testing.assert_array_equal(weights, weights.T)
    np.testing.assert_array_equal(np.diagonal(weights), 0)
    assert weights.sum() == pytest.approx(graph.weights.sum() * (1 if directed else 2))


# Pairs and islands


def test_pairs_are_the_upper_entries_of_the_adjacency_in_row_order() -> None:
    graph = make_graph([(3, 1), (0, 2), (1, 0), (0, 2)])
    assert graph.pairs.tolist() == [[0, 1], [0, 2], [1, 3]]


def test_ieee_118_has_179_pairs_behind_its_186_circuits() -> None:
    assert len(ieee118().edges) == 186
    assert len(ieee118().pairs) == 179


def test_islands_agree_with_networkx_and_an_isolated_node_is_one() -> None:
    graph = archipelago()
    network = nx.empty_graph(graph.node_count)
    network.add_edges_from(graph.pairs.tolist())
    expected = sorted(sorted(island) for island in nx.connected_components(network))
    found = [nodes.tolist() for nodes in members_of_islands(graph.adjacency)]
    assert sorted(found) == expected
    assert [ISOLATED] in found
    for number, nodes in enumerate(found):
        assert set(graph.islands[nodes].tolist()) == {number}


def test_a_graph_without_edges_is_all_islands() -> None:
    graph = make_graph([], 3)
    assert graph.pairs.shape == (0, 2)
    assert graph.islands.tolist() == [0, 1, 2]


# Censoring


def test_censoring_takes_pairs_out_whichever_way_they_are_written() -> None:
    graph = make_graph([(0, 1), (0, 1), (1, 2), (2, 3)])
    left = censor_pairs(graph.adjacency, np.array([[1, 0], [2, 3]]))
    np.testing.assert_array_equal(np.argwhere(left.toarray()), [[1, 2], [2, 1]])
    assert left.nnz == 2


def test_censoring_nothing_changes_nothing() -> None:
    adjacency = archipelago().adjacency
    left = censor_pairs(adjacency, np.zeros((0, 2), dtype=np.int64))
    np.testing.assert_array_equal(left.toarray(), adjacency.toarray())


def test_censoring_leaves_the_graph_itself_alone() -> None:
    adjacency = path(4).adjacency
    censor_pairs(adjacency, np.array([[0, 1]]))
    assert adjacency.nnz == 6


# Labels and features


def test_absent_features_and_labels_are_filled_in() -> None:
    graph = path(3)
    assert graph.features.shape == (3, 0)
    assert graph.labels.tolist() == [-1, -1, -1]
    assert graph.class_count == 0
    assert not graph.labelled.any()


def test_names_are_numbered_when_not_given() -> None:
    graph = Graph(
        2, np.array([[0, 1]]), np.ones(1), features=np.ones((2, 2)), labels=np.array([2, -1])
    )
    assert graph.feature_names == ("x0", "x1")
    assert graph.class_names == ("0", "1", "2")


def test_labelled_nodes_are_those_with_a_class() -> None:
    assert labelled_graph().labelled.tolist() == [True, False, True, False]


# Hashes


def swap_weights(graph: Graph) -> Graph:
    return replace(graph, weights=graph.weights[::-1])


def change_feature(graph: Graph) -> Graph:
    return replace(graph, features=graph.features + 1)


def rename_feature(graph: Graph) -> Graph:
    return replace(graph, feature_names=("load", "current"))


def change_label(graph: Graph) -> Graph:
    return replace(graph, labels=np.array([0, 1, 1, -1]))


@pytest.mark.parametrize(
    ("change", "changed"),
    [
        (swap_weights, {"topology_hash", "content_hash"}),
        (change_feature, {"content_hash"}),
        (rename_feature, {"content_hash"}),
        (change_label, {"label_hash"}),
    ],
)
def test_a_change_alters_only_the_hashes_that_cover_it(
    change: Callable[[Graph], Graph], changed: set[str]
) -> None:
    before, after = labelled_graph(), change(labelled_graph())
    names = ("topology_hash", "content_hash", "label_hash")
    assert {name for name in names if getattr(before, name) != getattr(after, name)} == changed


def test_equal_content_has_equal_hashes_in_every_memory_layout() -> None:
    graph = labelled_graph()
    other = replace(graph, features=np.asfortranarray(graph.features), edges=graph.edges.tolist())
    assert (graph.content_hash, graph.label_hash) == (other.content_hash, other.label_hash)


# Faults


def test_every_fault_is_reported_at_once() -> None:
    faults = faults_of(
        edges=np.array([[0, 9], [1, 1], [2, 3]]),
        weights=np.array([1.0, 1.0, -1.0]),
        features=np.full((4, 2), np.nan),
        feature_names=("load", "load"),
        labels=np.array([0, 7, 1, -1]),
    )
    assert faults == [
        ("edges", "positions 0 name a node that does not exist"),
        ("edges", "positions 1 are self-loops"),
        ("edges", "positions 2 have a weight that is not positive and finite"),
        ("feature_names", "load given more than once"),
        ("features", "rows 0, 1, 2, 3 are not finite"),
        ("labels", "nodes 1 have a class without a name"),
    ]


@pytest.mark.parametrize("weight", [0.0, -1.0, np.nan, np.inf])
def test_a_weight_that_is_not_positive_and_finite_is_a_fault(weight: float) -> None:
    [(where, problem)] = faults_of(weights=np.array([1.0, weight, 1.0]))
    assert where == "edges"
    assert problem.startswith("positions 1 have a weight")


def test_long_lists_of_positions_are_cut_short() -> None:
    edges = np.zeros((9, 2), dtype=np.int64)
    [(_, problem)] = faults_of(edges=edges, weights=np.ones(9))
    assert problem == "positions 0, 1, 2, 3, 4 and 4 more are self-loops"


@pytest.mark.parametrize(
    ("parts", "where"),
    [
        ({"weights": np.ones(2)}, "weights"),
        ({"edges": np.array([[0, 1, 2]])}, "edges"),
        ({"edges": np.array([[0.5, 1], [1, 2], [2, 3]])}, "edges"),
        ({"edges": np.array([[np.nan, 1], [1, 2], [2, 3]])}, "edges"),
        ({"features": np.ones((3, 2))}, "features"),
        ({"features": np.ones(4)}, "features"),
        ({"feature_names": ("load",)}, "feature_names"),
        ({"labels": np.array([0, 1])}, "labels"),
        ({"labels": np.array([0, 1, 0.5, 1])}, "labels"),
        ({"labels": np.array([0, -2, 1, 1])}, "labels"),
        ({"class_names": ("weak", "weak")}, "class_names"),
    ],
)
def test_parts_that_do_not_fit_together_are_faults(parts: dict[str, Any], where: str) -> None:
    assert where in [found for found, _ in faults_of(**parts)]


@pytest.mark.parametrize("count", [0, -1])
def test_a_graph_has_at_least_one_node(count: int) -> None:
    with pytest.raises(InvalidGraph, match="at least one node"):
        Graph(count, np.zeros((0, 2), dtype=np.int64), np.zeros(0))


def test_whole_numbers_stored_as_floats_are_accepted() -> None:
    graph = Graph(2, np.array([[0.0, 1.0]]), np.ones(1), labels=np.array([0.0, -1.0]))
    assert graph.edges.dtype == graph.labels.dtype == np.int64


def edges_of_ring(count: int) -> IntArray:
    nodes = np.arange(count)
    return np.stack([nodes, (nodes + 1) % count], axis=1)


def test_a_large_graph_is_checked_and_indexed_in_moments() -> None:
    count = 100_000
    graph = Graph(count, edges_of_ring(count), np.ones(count))
    assert len(graph.pairs) == count
    assert graph.islands.max() == 0
