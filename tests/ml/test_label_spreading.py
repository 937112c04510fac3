import numpy as np
import torch

from ml.closed_forms import closed_form
from ml.config import TrainingConfig
from ml.graph import Graph
from ml.label_spreading import Spreader, strengthen_bridges


def line_of_buses(levels: list[float]) -> Graph:
    """A line of buses with one feature, and a label at either end."""
    count = len(levels)
    labels = np.full(count, -1)
    labels[[0, -1]] = [0, 1]
    return Graph(
        node_count=count,
        edges=np.array([[node, node + 1] for node in range(count - 1)]),
        weights=np.ones(count - 1),
        directed=False,
        features=np.array(levels)[:, np.newaxis],
        feature_names=("kV",),
        labels=labels,
        class_names=("left", "right"),
    )


def test_an_edge_between_two_levels_weighs_more() -> None:
    graph = line_of_buses([110.0, 110.0, 20.0])
    weights = strengthen_bridges(graph, 5.0).toarray()
    assert weights.tolist() == [[0, 1, 0], [1, 0, 5], [0, 5, 0]]


def test_a_column_of_many_values_has_no_levels() -> None:
    graph = line_of_buses([float(node) for node in range(30)])
    weights = strengthen_bridges(graph, 5.0)
    np.testing.assert_array_equal(weights.toarray(), graph.adjacency.toarray())


def test_a_bus_follows_the_label_behind_its_transformer() -> None:
    graph = line_of_buses([110.0, 110.0, 20.0])
    config = TrainingConfig(method="lfgcn_plus", label_bridges=5.0)
    heard = Spreader(graph, config, torch.device("cpu")).responses(torch.tensor([0, 2]))
    assert heard[1, 1] > heard[1, 0]


def test_labels_spread_as_in_the_closed_form_where_no_bridge_weighs_more() -> None:
    graph = line_of_buses([110.0, 110.0, 20.0, 20.0, 20.0])
    config = TrainingConfig(method="lfgcn_plus", label_alpha=0.8)
    heard = Spreader(graph, config, torch.device("cpu")).responses(torch.tensor([0, 4])).numpy()
    expected = closed_form("NL", 0.8).probabilities(graph, np.array([0, 4]))
    np.testing.assert_allclose(heard / heard.sum(axis=1, keepdims=True), expected, rtol=1e-5)
