import numpy as np
import pytest
import torch

from ml.config.levy import LfgcnPlusSettings
from ml.errors import InvalidHyperparameter
from ml.graph.edge_weights import weigh_edges
from ml.graph.graph import Graph
from ml.levy.closed_forms import closed_form
from ml.methods import label_propagation
from ml.methods.label_propagation import LabelPropagationSettings
from ml.nn.label_spreading import Spreader, clamp_labels
from tests.ml.communities import split_of, two_communities


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
    weights = weigh_edges(graph, 5.0, 0.0).toarray()
    assert weights.tolist() == [[0, 1, 0], [1, 0, 5], [0, 5, 0]]


def test_a_column_of_many_values_has_no_levels() -> None:
    graph = line_of_buses([float(node) for node in range(30)])
    weights = weigh_edges(graph, 5.0, 0.0)
    np.testing.assert_array_equal(weights.toarray(), graph.adjacency.toarray())


def test_a_bus_follows_the_label_behind_its_transformer() -> None:
    graph = line_of_buses([110.0, 110.0, 20.0])
    config = LfgcnPlusSettings(label_bridges=5.0)
    spread = Spreader(graph, config, torch.device("cpu")).responses(torch.tensor([0, 2]))
    assert spread[1, 1] > spread[1, 0]


def test_labels_spread_as_in_the_closed_form_where_no_bridge_weighs_more() -> None:
    graph = line_of_buses([110.0, 110.0, 20.0, 20.0, 20.0])
    config = LfgcnPlusSettings(label_alpha=0.8)
    spread = Spreader(graph, config, torch.device("cpu")).responses(torch.tensor([0, 4])).numpy()
    expected = closed_form("NL", 0.8).probabilities(graph, np.array([0, 4]))
    np.testing.assert_allclose(spread / spread.sum(axis=1, keepdims=True), expected, rtol=1e-5)


def test_an_edge_over_which_a_smooth_column_falls_steeply_weighs_less() -> None:
    angles = [0.1 * node for node in range(15)] + [2.0 + 0.1 * node for node in range(15)]
    weights = weigh_edges(line_of_buses(angles), 1.0, 0.5).toarray()
    assert weights[3, 4] == pytest.approx(np.exp(-0.5))
    assert weights[14, 15] == pytest.approx(np.exp(-0.5 * 6))


def test_a_rough_column_changes_no_weight() -> None:
    graph = line_of_buses([float((7 * node) % 30) for node in range(30)])
    np.testing.assert_array_equal(weigh_edges(graph, 1.0, 0.5).toarray(), graph.adjacency.toarray())


def test_clamped_labels_spread_as_in_label_propagation() -> None:
    graph = two_communities(size=12)
    split = split_of(graph)
    config = LfgcnPlusSettings(label_spreading="clamped", label_alpha=0.9999, device="cpu")
    nodes = torch.from_numpy(split.train)
    labels = torch.eye(2)[torch.from_numpy(graph.labels[split.train])]
    shown = torch.ones(len(nodes), dtype=torch.bool)
    spread = Spreader(graph, config, torch.device("cpu")).spread(nodes, labels, shown)
    expected, _ = label_propagation.fit(graph, split, LabelPropagationSettings())
    shares = (spread / spread.sum(1, keepdim=True)).numpy()
    np.testing.assert_allclose(shares, expected, atol=1e-3)


def test_clamped_labels_that_are_hidden_leave_no_trace() -> None:
    graph = line_of_buses([110.0] * 5)
    config = LfgcnPlusSettings(label_spreading="clamped", label_alpha=0.99)
    spreader = Spreader(graph, config, torch.device("cpu"))
    nodes, labels = torch.tensor([0, 4]), torch.eye(2)
    one = spreader.spread(nodes, labels, torch.tensor([True, False]))
    both = spreader.spread(nodes, labels, torch.tensor([True, True]))
    assert (one[:, 1] == 0).all()
    assert both[4, 0] == pytest.approx(0, abs=1e-6)


def test_clamping_no_label_gives_zero_everywhere() -> None:
    nothing = clamp_labels(torch.zeros(3, 0), torch.zeros(0, dtype=torch.long), torch.zeros(0, 2))
    assert nothing.tolist() == [[0.0, 0.0]] * 3


def test_labels_that_cannot_be_clamped_are_refused_by_the_setting() -> None:
    alike = torch.ones(4, 2, dtype=torch.float64)
    with pytest.raises(InvalidHyperparameter, match="label_alpha"):
        clamp_labels(alike, torch.tensor([0, 1]), torch.eye(2, dtype=torch.float64))


def test_clamping_keeps_what_single_precision_would_cut_off() -> None:
    graph = line_of_buses([110.0 + node for node in range(40)])
    config = LfgcnPlusSettings(label_spreading="clamped", label_alpha=0.2, device="cpu")
    nodes, labels = torch.tensor([0, 39]), torch.eye(2)
    spread = Spreader(graph, config, torch.device("cpu")).spread(nodes, labels, nodes >= 0)
    assert (spread[1:20, 0] > spread[1:20, 1]).all()
    assert spread[20, 1] > spread[20, 0] > 0


def test_labels_that_are_all_shown_are_x_only_if_they_change() -> None:
    graph = line_of_buses([float(node) for node in range(6)])
    spreader = Spreader(graph, LfgcnPlusSettings(), torch.device("cpu"))
    nodes, everything = torch.tensor([0, 5]), torch.tensor([True, True])
    first = spreader.spread(nodes, torch.eye(2), everything)
    assert spreader.spread(nodes, torch.eye(2), everything) is first
    turned = spreader.spread(nodes, torch.eye(2).flip(0), everything)
    torch.testing.assert_close(turned, first.flip(1))
