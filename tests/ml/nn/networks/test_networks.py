import numpy as np
import pytest
import torch

from ml.config.settings import NetworkSettings
from ml.methods.registry import NETWORKS, make_config
from ml.nn.optimiser import make_adam
from ml.training.fit import fit
from ml.training.interfaces import import_network
from tests.ml.communities import split_of, two_communities

METHODS = tuple(method.key for method in NETWORKS if method.key != "lfgcn")


def config_of(method: str, **changes: object) -> NetworkSettings:
    settings: dict[str, object] = {
        "method": method,
        "epochs": 40,
        "patience": None,
        "width": 8,
        "branches": 2,
        "members": 2,
        "learning_rate": 0.03,
        "drop_edge": "none",
        "device": "cpu",
    }
    return make_config(**{**settings, **changes})


@pytest.mark.parametrize("method", METHODS)
def test_a_network_learns_communities_better_than_chance(method: str) -> None:
    graph = two_communities(directed=True)
    result = fit(graph, split_of(graph), config_of(method))
    assert result.metrics["test"].accuracy > 0.7


@pytest.mark.parametrize("method", METHODS)
def test_a_network_trains_on_censored_graphs(method: str) -> None:
    graph = two_communities(size=8)
    settings = {"epochs": 2, "drop_edge": "uniform", "drop_rate": 0.5}
    result = fit(graph, split_of(graph), config_of(method, **settings))
    assert result.history[0].dropped_edges > 0


@pytest.mark.parametrize("method", [m for m in METHODS if m not in {"mlp", "lfgcn_plus"}])
def test_a_network_sees_the_graph_only_through_its_view(method: str) -> None:
    graph = two_communities(size=8)
    config = config_of(method)
    module = import_network(method)
    views = module.make_views(graph, config, torch.device("cpu"))
    network = module.build_network(config, 2, 2).eval()
    features = torch.from_numpy(graph.features).float()
    whole = network(features, views.whole(), None)
    without_edges = network(features, views.censored(graph.pairs), None)
    assert not torch.allclose(whole, without_edges)


@pytest.mark.parametrize("method", METHODS)
def test_logits_at_chosen_nodes_are_those_of_the_whole_pass(method: str) -> None:
    graph = two_communities(size=8)
    config = config_of(method)
    module = import_network(method)
    view = module.make_views(graph, config, torch.device("cpu")).whole()
    columns = graph.features
    if method == "lfgcn_plus":
        columns = np.concatenate([columns, np.eye(2)[graph.labels]], axis=1)
    network = module.build_network(config, columns.shape[1], 2).eval()
    features = torch.from_numpy(columns).float()
    nodes = torch.tensor([1, 5, 9])
    everywhere = network(features, view, None)
    torch.testing.assert_close(network(features, view, nodes), everywhere[nodes])


def decayed_shapes(method: str) -> list[tuple[int, ...]]:
    config = config_of(method)
    groups = make_adam(import_network(method).build_network(config, 5, 3), config).param_groups
    return [
        tuple(one.shape) for group in groups if group["weight_decay"] for one in group["params"]
    ]


def test_l2_is_on_every_kernel_but_on_the_first_alone_where_that_was_published() -> None:
    assert decayed_shapes("mlp") == [(8, 5), (3, 8)]
    assert decayed_shapes("appnp") == [(8, 5)]
